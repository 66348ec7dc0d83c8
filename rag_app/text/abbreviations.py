"""Abbreviations that end in a full stop, in English and German, and the words that begin a sentence behind one.

Lists of the field's common abbreviations, of offices, contracts, laws, trade and technology; fitted to no text.
"""

NEVER_LAST = frozenset(
    # Something always follows: titles, "for example", "against", "about", parts of a reference to a law.
    "abzgl abzügl acc allg amtl approx attn ausl ausschl ausschließl außerord bayr bes besch betr bisl brit bspw bzgl "
    "bzw ca cca ccm cf chem col corr dgl dipl dr dt dtsch durchschn e.g eg ehem eidg eig eigtl einschl elektr engl "
    "entspr erf europ ev evang evtl exkl fa fam franz frl gegr gem gemeinn gen gepr gerichtl ges gesch geschäftl "
    "gesetzl gewerbl gez ggf ggfs ggü gov grundsätzl hist hr hrn hrsg höchstpers i.d.r i.e ie inbes ing inkl inl "
    "inländ insb insbes inst int ital jew jur jährl kath kaufm kfm königl landw lat lfd lic lt maj mdl messrs militär "
    "mind mlle mme monatl mont mr mrs ms mtl männl mündl nachf natürl näml nördl o.g op.cit pers persönl ph phil "
    "polit poln prof rd rechtl regelm rel rep resp rhein russ schriftl schwäb sen sgt sog sogen spez st staatl stellv "
    "städt sächs sämtl südl tatsächl techn teilw telef theol tägl türk ungef unverb urspr ursprüngl v.a verh verm "
    "versch vertragl vgl vierteljährl viz vlt vollst vorauss vorh vorl vorm vorübergeh vs wahrsch weibl westl wg "
    "wirtsch wöchentl z.b zahlr zeitl zgl zul zus zust zusätzl zuzgl zw zwisch zzgl zzügl öffentl österr östl".split()
)

SELDOM_LAST = frozenset(
    # It may end a sentence, but what follows is usually its number, name or noun.
    "abb abf abg abh abr abs abschn abt add addl adj adm admin adr adv aff affil agcy agmt ah akt al alt alum amt "
    "anal anh anl anm ann anon apdx app appl approp appt apr apt arb arch arr art arts artt asgn assn assoc asst att "
    "atty au aufg aufl aug ausg ave avg az bal bankr bd bde bdl beg begl beil bem ber bez bf bg bibl biol bl bldg blk "
    "blvd bm bmst bot br brig bros bsp bst buchst bull bvd bz calc cap capt cat cc cent cert ch chap chg chron cir "
    "cit civ cl cmd cmdr co coll comm comp conc conf cong const constr cont contd contr conv coop corp corresp coun "
    "cp cpl crim ct ctr cts cu cur cust dat dbl dec def deg del dep dept desc dev dez di diff dim dir disc dist distr "
    "div doc docs dok doz drs ds dstl dtd dup dz ea econ ed edn eds educ eff einl einw el elec elev emb emer emp enc "
    "encl eng engr ent entw eq eqn eqns eqs equip erg erl esp esq est et etc etw ex exc exch excl exec exh exp expl "
    "ext f fac fak fax feb fed ff fid fig figs fin fl fn fol folg foll fr freq fri frz fs fspr ft fut fwd gal gar gaz "
    "gb geb gebr geh geogr geol geom gew ggs gl gm govt gr grad grp gs gtd hbf hd hdb hdbk hist hosp hptm hrs hs ht "
    "hwy hz ibid illus imp inc incl incorp ind indiv inf init inkr insp instr insur int intern inv iss jan jb jg jgs "
    "jh jhd jl jr jul jun kal kap kfz kg kl km komm konf kpl kr kto ktr lat lb lbs leg lfg lg lib lief lin lit liz lk "
    "ln loc lt ltd lux mag maint mar math max mbr mdl meas mech med mem memb mfd mfg mfr mgmt mgr mi mil min mio misc "
    "mitgl mitt mkt mm mo mod mon mos mrd mstr mt mtg mth mths mtn mtns mts mun mus mvt myth nachm nat natl neg no "
    "nom nordd norm nos nov np nr nrn nrs ntwk num obj obl obs occ oct offic okt op opp opt ord org orig oz pa par "
    "para paras parl part pat patt pct pdt perf perm pers pf pfd pg pgs pharm phys pk pkg pkt pkw pl plt plur pmt pol "
    "pop pos poss pp ppd pr prec pred pref prep pres prev prim princ priv prj prob proc prod proj prom pron prop prov "
    "ps pseud psych pt pts pub publ pubs pwr qlty qtr qty qtys quad qual quant quar rcd rcpt rd re rec recd ref refs "
    "reg regd regs rel rem rep req reqd res ret rev rf rm rms rn rpt rpts rt rte s sa sat sched schr sci scr sec secs "
    "sect sek sel sem sen sep seq ser serv sess sg sgl shpt sig sing skt soc sonst sp span spec specs spt sq sr sta "
    "stat std stdn ste stk stlg str strs stv su sub subch subd subdiv subj subpar subs subsec subst suff sun sup supp "
    "suppl supr supt surg surv sym syn syst tab taf tbl tbsp tech tel temp ter terr thu thur thurs tit tkt tr trad "
    "trans transl treas trib tsd tsp tue tues typ tz u.a u.ä ufg ult undergrad univ unpub unt usg usw util va val var "
    "vb veg vehs ver verb verf verg verl vers verw vet vfg vic viz vo vocab vol vols vors vorst vp vt wbl wed wiss wk "
    "wkly wks wt yd yds yr yrs z zb zeichn ziff zit zs zshg zt zz zzt überarb übers".split()
)

UNITS = frozenset(
    "cm dm ft g gal gb h ha hr hrs in kg km kw kwh l lb lbs m mb mg min ml mm mo oz sec std t wk wks yr yrs".split()
)
"""Behind a number these may well be the last word."""

CLOSING_LISTS = frozenset("etc usf usw".split())
"""They end a list, and as often a sentence."""

ENGLISH_WORDS = frozenset("gem mind rep".split())
"""German abbreviations in `NEVER_LAST` that are English words."""

COMMON_WORDS = frozenset(
    "ab add age ago aid air all an and any app are arm art ask auf aus bad bag bar bay bed bei big bin bit box bus "
    "but buy can cap car cat cup cut day def did do dog door due ease ein end eye far fax fee few fit fix for fort "
    "fun gas gem get go god got gym had her him hin his home hot how ice ill ink inn intern it its ja jam job joy key "
    "kid law lay led leg let lie list lock log los lot low mai map me meal men mit mix net new nor not now odd off "
    "oil old on one open opt our out own pad paid pan pay pen per pet pin plan play pop pot pub put ran read rent "
    "road roof room row run safe sale say se sea see set sex she shop sit site six sky so span stake stay stop sub "
    "sum sun tax tea team ten the them then tie tip to too top toy two um up us use van verb via vor war was way we "
    "week weg well wet who why will win wish work yes yet you zoo zu".split()
)
"""Short words that lists of abbreviations, made by machine from court reports, hold by mistake."""

STARTERS = frozenset(
    "a aber after all alle allerdings als also although am an and any anybody anyone as at auch auf aus außerdem "
    "because before bei beide bis both but by da dabei dadurch dafür daher damit danach dann darf darüber das dass "
    "dazu dem den denn der deren des deshalb die dies diese dieser dieses do doch does dort durch each eine einem "
    "einen einer either es every everybody everyone falls few for from für gegen ggf he her here hier his how "
    "however if ihr ihre im in indem is ist it its jede jedem jeden jeder jedes jedoch jetzt kein keine können man "
    "many mit most my nach nachdem neben neither nicht no nobody none nor not nothing nun nur ob oder of ohne on "
    "once one only or otherwise our please see seit she sie since sind so sobald sofern solange soll sollte some "
    "someone sonst soweit sowohl such that the their then there therefore these they this those though thus to "
    "trotz um und under unless unter until vom von vor wann war was we weil wenn wer werden what when whenever "
    "where whether which while who whoever why wie wir wird with within without wo während you your zu zudem zum "
    "zur zwar zwischen über".split()
)
"""Function words: after an abbreviation, only such a word in capitals shows that a new sentence begins."""
