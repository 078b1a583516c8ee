import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sentences of 5 to 40 words from the prose of dependencies: their READMEs, and TypeScript's messages in 13 languages. */
export function sentencesOfDependencies(): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = { english: sentencesIn(readmes('node_modules').map(proseOf)) };
  for (const language of readdirSync('node_modules/typescript/lib', { withFileTypes: true })) {
    if (!language.isDirectory()) continue;
    const file = join('node_modules/typescript/lib', language.name, 'diagnosticMessages.generated.json');
    found[language.name] = sentencesIn(Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>));
  }
  return found;
}

function readmes(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.md$/i.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** Paragraphs without code, tables, tags and the addresses of links. */
function proseOf(markdown: string): string {
  return markdown
    .replace(/```[\s\S]*?```/g, '\n\n')
    .replace(/^(?: {4}|\t|.*\|).*$/gm, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(?:[-*+#>]+|\d+\.)/gm, '\n')
    .replace(/[`*]/g, '');
}

function sentencesIn(texts: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const paragraph of texts.flatMap((text) => text.split(/\n\s*\n/))) {
    for (const sentence of paragraph.replace(/\s+/g, ' ').split(/(?<=[.!?])\s+/)) {
      const count = sentence.split(' ').length;
      if (count >= 5 && count <= 40) found.add(sentence.trim());
    }
  }
  return [...found];
}

/** Chat messages, one per line, in languages with and without a word list. */
export const chats: readonly string[] = `
hey did you see what happened with that token yesterday, everyone is talking about it
please send me your new number again, my phone died last night and everything is gone
I think we should wait until next week before moving any more funds out of there
ok then let us meet at seven near main station and walk from there together
honestly this whole project looks like another rug pull to me so stay away from it
can anyone confirm whether claim page is official because mine asks for twelve words
never share your recovery phrase with anyone even if they say they are from support
lol same here, wallet connected fine but nothing showed up after waiting twenty minutes straight
just got home, dinner was great, thanks again for inviting us and see you on sunday
good morning everyone, new version is live now, please update before using any bridge today
ich habe gestern versucht dich anzurufen aber du bist leider nicht ans Telefon gegangen
kannst du mir bitte den Link zu der Seite noch einmal schicken, ich finde ihn nicht mehr
wir treffen uns morgen um acht vor dem Kino und gehen danach noch etwas essen
bitte gib niemals deine zwölf Wörter weiter, auch nicht wenn jemand behauptet vom Support zu sein
je ne comprends pas pourquoi mon portefeuille affiche toujours zéro alors que le transfert est confirmé
tu peux me rappeler ce soir quand tu rentres du travail, il faut que je te parle
nous avons reçu plusieurs messages de personnes qui disent avoir perdu tout leur argent hier
no entiendo por qué la página me pide mi frase de recuperación para cobrar el premio
mañana vamos a la playa con los niños y después comemos en casa de mi madre
si alguien te escribe por privado diciendo que es del equipo, bloquéalo porque es una estafa
non riesco a entrare nel mio portafoglio da ieri sera, qualcuno ha lo stesso problema?
ci vediamo domani davanti alla stazione alle nove e poi prendiamo il treno insieme
você pode me mandar o endereço de novo porque eu apaguei a conversa sem querer
ontem recebi uma mensagem estranha pedindo para conectar minha carteira em um site novo
ik heb gisteren een bericht gekregen van iemand die zegt dat hij van de bank is
wie gaat er morgen mee naar het strand als het weer een beetje mee zit
jag fick ett konstigt meddelande igår som sa att mitt konto skulle stängas av
nie klikaj w ten link bo to jest oszustwo i stracisz wszystkie swoje pieniądze
czy ktoś może mi powiedzieć dlaczego mój portfel nie pokazuje tokenów po aktualizacji
dün akşam bana garip bir mesaj geldi ve cüzdanımı bağlamamı istedi ama yapmadım
yarın sabah erkenden yola çıkacağız bu yüzden bu gece erken yatmamız gerekiyor
вчера мне написал какой-то человек и попросил прислать ему двенадцать слов от кошелька
завтра встречаемся возле метро в семь часов и потом вместе идем в кино
я не понимаю почему мой кошелек показывает ноль хотя перевод уже подтвержден
привіт, ти вже бачив нову версію програми, мені здається вона працює набагато краще
saya tidak bisa masuk ke dompet saya sejak kemarin malam, ada yang tahu kenapa?
昨日 友達 から 変な メッセージ が 来て、 リンク を 押して と 言われた けど 押さなかった よ
어제 이상한 메시지를 받았는데 지갑을 연결하라고 해서 그냥 무시하고 차단해 버렸어요
我 昨天 收到 一条 奇怪 的 消息 说 我 中奖 了 要 我 连接 钱包 才 能 领取
`
  .trim()
  .split('\n');
