/**
 * Most visited domains, from the list by which Chromium notices lookalikes (`components/url_formatter/spoof_checks/top_domains/domains.list`,
 * commit 0af7d033d43826a045feefca2af694e959bd915b): its first part, and a few networks of its second, without sites for adults, which many lists
 * block on purpose, and without shared hosts, which are refused.
 */
export const popularHosts: readonly string[] = /* @__PURE__ */ (
  '17track.net 24h.com.vn academia.edu academic.ru accuweather.com adp.com agoda.com aif.ru airbnb.com alibaba.com ' +
  'aliexpress.com allegro.pl allocine.fr alodokter.com amazon.ca amazon.co.jp amazon.co.uk amazon.com amazon.com.mx amazon.de ' +
  'amazon.es amazon.fr amazon.in amazon.it americanexpress.com ancestry.com animeflv.net aol.com apkpure.com appledaily.com ' +
  'asahi.com ask.com asos.com asus.com autotrader.com avito.ru azlyrics.com badoo.com baidu.com baixaki.com.br banggood.com ' +
  'bankofamerica.com battle.net bbc.co.uk bbc.com bestbuy.com bet365.com biblegateway.com biglobe.ne.jp bild.de bilibili.com ' +
  'binance.com bing.com blackboard.com blockchain.com bloomberg.com booking.com bookmyshow.com britannica.com bukalapak.com ' +
  'businessinsider.com bustle.com buzzfeed.com ca.gov caixa.gov.br canada.ca canalrcn.com capitalone.com cargurus.com ' +
  'cbsnews.com cbssports.com ccm.net cdc.gov cdiscount.com ceneo.pl chase.com chegg.com chinatimes.com chip.de chron.com ' +
  'clarin.com cnbc.com cnet.com cnn.com collegedunia.com correios.com.br craigslist.org cricbuzz.com dailymail.co.uk daum.net ' +
  'dell.com depositphotos.com detik.com deviantart.com dhgate.com dhl.de dictionary.com dmm.co.jp dmm.com drom.ru ' +
  'ebay-kleinanzeigen.de ebay.co.uk ebay.com ebay.com.au ebay.de ebay.es ebay.fr ebay.it eksisozluk.com elconfidencial.com ' +
  'elintransigente.com elmundo.es elpais.com eluniversal.com.mx emag.ro engadget.com epicgames.com espn.com europa.eu ' +
  'excite.co.jp expedia.com express.co.uk fandango.com fandom.com fast.com fedex.com filmweb.pl flickr.com flipkart.com ' +
  'fnac.com forbes.com foxnews.com francetvinfo.fr free.fr gaana.com gamepedia.com gamespot.com gearbest.com genius.com ' +
  'gfycat.com giphy.com gismeteo.ru glassdoor.com globo.com glosbe.com go.com goal.com gofundme.com goo.ne.jp goodreads.com ' +
  'google.ca google.cl google.co.id google.co.in google.co.jp google.co.kr google.co.th google.co.uk google.com.ar ' +
  'google.com.au google.com.br google.com.co google.com.mx google.com.tr google.com.tw google.de google.es google.fr ' +
  'google.it google.nl google.pl google.pt google.ru gsmarena.com gumtree.com haberler.com hdfcbank.com healthline.com ' +
  'hilton.com hindustantimes.com homedepot.com hotels.com hotpepper.jp hotstar.com hp.com huawei.com huffpost.com hulu.com ' +
  'icicibank.com icloud.com ign.com ikea.com ilmeteo.it ilovepdf.com imdb.com impress.co.jp indeed.com indiamart.com ' +
  'indiatimes.com indiatoday.in infobae.com instructables.com instructure.com interia.pl intuit.com investing.com ' +
  'investopedia.com irecommend.ru irs.gov itau.com.br itmedia.co.jp jobrapido.com justdial.com jw.org kahoot.it kakaku.com ' +
  'kakao.com kayak.com kenh14.vn khanacademy.org kinopoisk.ru kizlarsoruyor.com kknews.cc kohls.com kompas.com kotobank.jp ' +
  'kp.ru lazada.co.th leagueoflegends.com leboncoin.fr lemonde.fr lenta.ru lifewire.com line.me livedoor.com livescore.com ' +
  'livestrong.com makemytrip.com malavida.com marca.com mawdoo3.com mayoclinic.org meb.gov.tr mercadolibre.com ' +
  'mercadolibre.com.ar mercadolibre.com.co mercadolibre.com.mx mercadolivre.com.br mercari.com messenger.com mi.com ' +
  'microsoftonline.com milliyet.com.tr mk.ru mlb.com mobile.de mobile01.com monografias.com msn.com mundodeportivo.com ' +
  'myanimelist.net mynavi.jp mynet.com n11.com namu.wiki naver.com nba.com nbcnews.com nbcsports.com ndtv.com netflix.com ' +
  'news18.com nextdoor.com nhk.or.jp nicovideo.jp nifty.com nih.gov nike.com nikkansports.com nikkei.com nvidia.com ' +
  'nypost.com nytimes.com office365.com okdiario.com olx.co.id olx.com.br olx.pl olx.ua onet.pl onlinesbi.com ' +
  'onlinevideoconverter.com op.gg orange.fr otto.de otvfoco.com.br pantip.com passeidireto.com paypal.com pinterest.co.uk ' +
  'pinterest.es pixiv.net playstation.com politico.com polygon.com primevideo.com qq.com quizlet.com ' +
  'rakuten.co.jp rambler.ru ranker.com researchgate.net reverso.net rg.ru rightmove.co.uk roblox.com rottentomatoes.com ' +
  'rozetka.com.ua rt.com sabah.com.tr sahibinden.com samsung.com sanook.com sarkariresult.com sciencedirect.com sfgate.com ' +
  'shopee.co.th shutterstock.com sinoptik.ua sky.com skyscanner.net skysports.com smallpdf.com smi2.ru softonic.com ' +
  'sozcu.com.tr speedtest.net spiegel.de sputniknews.com stackexchange.com stackoverflow.com steamcommunity.com ' +
  'steampowered.com study.com t-online.de tabelog.com taleo.net taobao.com target.com techradar.com techtudo.com.br ' +
  'telegraph.co.uk termometropolitico.it thebalancecareers.com thedailybeast.com thefreedictionary.com theguardian.com ' +
  'thesaurus.com theverge.com thoughtco.com tim.it tokopedia.com tribunnews.com tripadvisor.com trulia.com trustpilot.com ' +
  'tutorialspoint.com uber.com ubisoft.com udemy.com udn.com ultimate-guitar.com unam.mx uniqlo.com uol.com.br ups.com ' +
  'uptodown.com urbandictionary.com usatoday.com usps.com vice.com vnexpress.net w3schools.com walmart.com washingtonpost.com ' +
  'wattpad.com weather.com web.de webmd.com weibo.cn weibo.com wellsfargo.com wikihow.com wikipedia.org wiktionary.org ' +
  'wish.com wondershare.com wordreference.com wp.pl wsj.com xbox.com xe.com xfinity.com xiaohongshu.com yahoo.co.jp yahoo.com ' +
  'yandex.com yelp.com yenisafak.com youku.com youm7.com yourdictionary.com zhihu.com zillow.com zing.vn znanija.com ' +
  'zomato.com zoom.us'
).split(' ');
