import { type PlatformTable, rows } from './platform-table.js';

/** Social networks: accounts, posts and events. */
export const socialPlatforms: PlatformTable = /* @__PURE__ */ (() => rows`
  LINKEDIN linkedin.com ~.
    /(?:mwlite/)?(in|company|school|showcase|groups|newsletters)/([^/\s]{1,120}) /$1/$2
    /company-beta/(\d+) /company/$1
    /pub/([^/\s]+/[\da-z]+/[\da-z]+/[\da-z]+)$ /pub/$1
    @([a-z\d-]{3,100}) /in/$1

  TWITTER twitter.com x.com
    /(?:i/web|i|(\w{1,15}))/status(?:es)?/(\d{1,20}) /i/status/$2 /$1
    /intent/(?:user|follow)$ ?screen_name=@?(\w{1,15}) /$1
    /(?:intent|i)/user$ ?user_id=(\d{1,20}) /i/user/$1
    /i/user/(\d{1,20})$ /i/user/$1
    /i/(communities|spaces|lists)/([\da-z]+) /i/$1/%2
    /$ #!/@?(\w{1,15})$ /$1
    @-/@?(\w{1,15}) /$1
    :twitter://user ?screen_name=@?(\w{1,15}) /$1
    reserved + i intent share hashtag tos compose download jobs account logout oauth widgets who_to_follow personalization

  FACEBOOK facebook.com mbasic. web. business. fb.com fb.me m.me ~.
    /(?:profile|story|permalink)\.php$ ?id=(\d{4,20}) /$1
    /(?:people|pages(?:/category/[^/]+)?)/[^/]+/(\d{4,20}) /$1
    /(?:pg|p)/[^/]*?-?(\d{9,20}) /$1
    /pg/([a-z\d.-]{5,80}) /$1:dotless
    /groups/([\w.-]+) /groups/$1
    /events/(?:[^/]+/)?(?:[^/]+/)?(\d{6,20}) /events/$1
    /(marketplace/item|reel)/(\d+) /$1/$2
    /watch$ ?v=(\d+) /watch/$1
    /(\d{4,20}) /$1
    /[a-z\d.-]+-(\d{12,20}) /$1
    -/([a-z\d][a-z\d.-]{3,79}) /$1:dotless
    :fb://(?:profile|page)/(\d{4,20})$ /$1
    @([a-z\d][a-z\d.]{3,79}) /$1:dotless
    reserved + ads policies share sharer sharer.php dialog plugins watch marketplace gaming hashtag photo photo.php story.php permalink.php profile.php home.php people pages pg p groups events business l.php tr reel e me friends bookmarks stories public directory

  REDDIT reddit.com old. new. np. i. amp. sh. redd.it ~.
    redd./([a-z\d]{4,10})$ /comments/$1
    /(?:(?:r|u|user)/([\w-]{2,21})/)?(?:comments|gallery)/([a-z\d]{4,10}) /comments/$2
    /r/u_([\w-]{3,20}) /user/$1
    /(?:u|user)/([\w-]{3,20}) /user/$1
    /r/([a-z\d]\w{1,20}) /r/$1
    @(?:/?r/)([a-z\d]\w{1,20})/? /r/$1
    @(?:/?u(?:ser)?/)?([\w-]{3,20})/? /user/$1

  INSTAGRAM instagram.com instagr.am ig.me
    /(?:([\w.]{1,30})/)?(?:p|reel|reels|tv)/([\w-]{5,64}) /p/%2 /$1
    -/(?:stories|_u|m)/([\w.]{1,30}) /$1
    @-/@?(\w(?:\w|\.(?!\.)){0,28}\w|\w) /$1
    :instagram://user ?username=([\w.]{1,30}) /$1
    reserved + p reel reels tv accounts direct stories developer web share s m challenge static

  THREADS threads.net threads.com
    /(?:@([\w.]{1,30})/post|t)/([\w-]{5,64}) /t/%2 /@$1
    @/@([\w.]{1,30}) /@$1

  MEDIUM medium.com *.
    /p/([\da-f]{8,14}) /p/$1
    -medium./@([\w.-]{1,60})/(?:.*-)?([\da-f]{8,14})$ /p/$2 /@$1
    -medium./@([\w.-]{1,60}) /@$1
    -medium./([a-z\d-]{2,60})/(?:.*-)?([\da-f]{8,14})$ /p/$2 /$1
    -medium./([a-z\d-]{2,60}) /$1
    *{[a-z\d][\w-]{0,59}}/(?:.*-)?([\da-f]{8,14})$ /p/$1 /@$0
    *{[a-z\d][\w-]{0,59}}/ /@$0
    @([\w.-]{1,60}) /@$1
    reserved + m p tag topic topics me new-story membership plans policy jobs-at-medium creators cdn-images-1 miro glyph

  PATREON patreon.com
    /user(?:/\w+)?$ ?u=(\d{1,12}) /user/$1
    /user/(\d{1,12})$ /user/$1
    /m/(\d+) /m/$1
    /(?:([\w-]+)/)?posts/(?:[^/]*-)?(\d{4,12})$ /posts/$2
    /creation$ ?hid=(\d+) /posts/$1
    /(?:cw?|join)/([\w-]{2,64}) /$1
    @-/([\w-]{2,64}) /$1
    reserved + user posts c cw m policy apps creation checkout portal creators auth product

  FARCASTER farcaster.xyz warpcast.com
    /~/profiles/(\d{1,12}) /~/profiles/$1
    /~/channel/([a-z\d-]{1,40}) /~/channel/$1
    -/@?([a-z\d][a-z\d.-]{0,60})/(0x[\da-f]{6,40})$ /$1/$2 /$1
    -/@?([a-z\d][a-z\d.-]{0,60})$ /$1
    @([a-z\d][a-z\d-]{0,15}(?:(?:\.base)?\.eth)?) /$1
    reserved + ~ miniapps

  QUORA quora.com *.
    /profile/([^/\s]{1,120}) /profile/$1
    /q/([\w-]{1,100}) $1.quora.com
    *{(?=.{3,})[a-z\d-]+}/ $h
    -/(?:unanswered/)?([^/\s]{3,200}) /$1
    @([a-z\d][a-z\d.-]{1,100}) /profile/$1
    reserved + topic answer following spaces careers pmsg q profile m

  SUBSTACK substack.com open. *.
    open./pub/([a-z\d-]{1,63})/p/([^/\s]+) $1.substack.com/p/$2 $1.substack.com
    substack.|open./pub/([a-z\d-]{1,63}) $1.substack.com
    substack./profile/(\d+)(?:-[^/]*)? /profile/$1
    substack.|open./@([\w-]{2,60}) /@$1
    *{[a-z\d][a-z\d-]*}/p/([^/\s]+) $h/p/$1 $h
    *{[a-z\d][a-z\d-]*}/ $h
    @@([\w-]{2,60}) /@$1
    @-([a-z\d][a-z\d-]{0,62}) $1.substack.com
    reserved api blog open cdn support on email reader bucketeer read

  PRIMAL primal.net beta.
    /p/((?:npub|nprofile)1[a-z\d]+|[\da-f]{64}) $1:npub
    /e/((?:note|nevent)1[a-z\d]+|[\da-f]{64}) $1:note
    -/(npub1[a-z\d]{58}) $1:npub
    -/([a-z\d][\w.-]{0,63}) /$1
    :nostr:((?:npub|nprofile)1[a-z\d]+)$ $1:npub
    :nostr:((?:note|nevent)1[a-z\d]+)$ $1:note
    !((?:npub|nprofile)1[a-z\d]+) $1:npub
    !((?:note|nevent)1[a-z\d]+) $1:note
    @([\da-f]{64}) $1:npub
    reserved + bookmarks downloads p e a premium reads feeds asearch

  BLUESKY bsky.app staging. main.bsky.dev *.bsky.social
    bsky.|staging.|main./profile/(did:plc:[a-z2-7]{24}|did:web:[^/\s]+|<domain>)/post/([a-z\d]{8,20}) /profile/$1/post/$2 /profile/$1
    bsky.|staging.|main./profile/@?(did:plc:[a-z2-7]{24}|did:web:[^/\s]+|<domain>) /profile/$1
    *{[a-z\d-]{3,18}}/ /profile/$h
    :at://(did:plc:[a-z2-7]{24}|[a-z\d.-]+\.[a-z]+)/app\.bsky\.feed\.post/([a-z\d]+)$ /profile/$1/post/%2
    :at://(did:plc:[a-z2-7]{24}|[a-z\d.-]+\.[a-z]+)/?$ /profile/$1
    !(did:plc:[a-z2-7]{24}) /profile/$1
    @(<domain>) /profile/$1

  SNAPCHAT snapchat.com story. t.
    snapchat./t/([a-z\d]{6,16})$ /t/%1
    t./([a-z\d]{6,16})$ /t/%1
    snapchat.|story./(?:add/|@|u/@?|s/@?)([a-z][\w.-]{2,14}) /add/$1
    :snapchat://add/([a-z][\w.-]{2,14})$ /add/$1
    @([a-z][\w.-]{2,14}) /add/$1

  DESO diamondapp.com bitclout.com node.deso.org tijn.club love4src.com desocialworld.com
    /u(?:ser)?/(BC1Y[1-9A-HJ-NP-Za-km-z]{50,52}) /u/%1
    /u(?:ser)?/@?(\w{1,25}) /u/$1
    /(?:posts|nft)/([\da-f]{64}) /posts/$1
    !(BC1Y[1-9A-HJ-NP-Za-km-z]{50,52}) /u/%1
    @(\w{1,25}) /u/$1

  PINTEREST pinterest.com|fr|de|ch|jp|cl|ca|it|co.uk|nz|ru|com.au|at|pt|co.kr|es|com.mx|dk|ph|th|com.uy|co|nl|info|kr|ie|vn|com.vn|ec|mx|in|pe|co.at|hu|co.in|co.nz|id|com.ec|com.py|tw|be|uk|com.bo|com.pe|se|no|fi|pl pin.it ~.
    pin./([a-z\d]{5,12})$ pin.it/%1
    /pin/(?:[^/]*--)?(\d{5,25}) /pin/$1
    -/([\w-]{3,30})/(?!_)([^/\s]{1,100})$ /$1/$2 /$1
    -/([\w-]{3,30}) /$1
    @(\w{3,30}) /$1
    reserved + pin ideas today business categories topics _ oauth password resource convert-business source

  GALXE galxe.com app. galaxy.eco beta.
    @(GC[a-z\d]{8}) /quest/%1
    -/(?:quest/)?([\w.-]{2,64})/(?:campaign/)?(GC[a-z\d]{6,12})$ /quest/%2 /$1
    /quest/(GC[a-z\d]{6,12})$ /quest/%1
    -/(?:quest|space)/([\w.-]{2,64})$ /$1
    @-/([\w.-]{2,64}) /$1
    reserved + quest campaign spaces space id passport leaderboard credential compass earn swap rewards accountsetting

  VELOG velog.io
    /@([\w-]{2,30})/(?!posts$|series|about$)([^/\s]+)$ /@$1/%2 /@$1
    @/@([\w-]{2,30}) /@$1

  VOCAL_MEDIA vocal.media
    -/authors/([a-z\d-]{2,80}) /authors/$1
    -/([a-z-]{2,40})/([a-z\d-]{2,200})$ /$1/$2
    @([a-z\d-]{2,80}) /authors/$1
    reserved + resources challenges vocal-plus latest-stories top-stories

  TECKFINE teckfine.com
    -/(?!wp-content|wp-json)(\S+)$ /$1
    reserved contact about wp-admin wp-login.php feed

  REDNOTE xiaohongshu.com rednote.com xhslink.com xhslink.cn
    xhslink./((?:[amo]/)?[a-z\d]{5,16})$ xhslink.com/%1
    /user/profile/[\da-f]{24}/([\da-f]{24})$ /explore/$1
    /user/profile/([\da-f]{24}) /user/profile/$1
    /(?:explore|discovery/item|search_result|item)/([\da-f]{24}) /explore/$1
    :xhsdiscover://user/([\da-f]{24}) /user/profile/$1
    @([\da-f]{24}) /user/profile/$1

  VEVIOZ vevioz.com
    @-/@?([\w.-]{2,60})$ /$1
    -/([\w.-]{2,60}/\S+)$ /$1
    reserved + register directory upload premium

  LUMA lu.ma luma.com
    /(?:(?:embed/)?(?:event|calendar|user|u)/)?((?:evt|cal|usr)-[a-z\d]{6,30}) /%1
    /(?:user|u)/([\w.-]{2,64}) /user/$1
    -/([a-z\d][\w.-]{1,63}) /$1
    reserved + create signin user calendar event u embed ios android check-in privacy-policy

  SMARTMONEYMATCH smartmoneymatch.com
    -/(?!uploads/)([^/\s]+(?:/\S*)?)$ /$1
    reserved + register

  CALENDLY calendly.com
    /[ds]/([a-z\d-]{4,40}) /d/%1
    -/([\w-]{2,64})/(?!\d{4}-\d\d)([\w-]{1,100}) /$1/$2 /$1
    @-/([\w-]{2,64}) /$1
    reserved + d s app integrations solutions pages resources security teams enterprise users event_types scheduled_events organization invitees cancellations reschedulings
`)();
