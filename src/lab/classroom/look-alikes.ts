/**
 * Letters and digits that look like other characters. Each entry has a character, `=`, and the
 * characters that look like it. `A=ΑА` means that a Greek and a Cyrillic letter look like A. The
 * list is a part of the data of UTS 39 (Unicode Security Mechanisms, confusables.txt, version
 * 17.0.0, © 2025 Unicode, Inc., https://www.unicode.org/terms_of_use.html). The list has all
 * letters of Latin, Cyrillic, Greek, Armenian, Coptic, Cherokee and Lisu. It also has the letters
 * and digits of other scripts that look like Latin letters and digits. Scripts from right to left
 * are left out.
 */
const LOOK_ALIKES = `
!=ǃ &=ꝸ '=ꞌ 'B=Ɓ 'D=Ɗ 'P=Ƥ 'T=Ƭ 'Y=Ƴ ,=ꓹ -=ⲻⲺ -̇=ⲳⲲ .=ꓸ .,=ꓻ ..=ꓺ /=ⳇⳆ 2=ꝚƧϨꙄᒿꛯ 2̵=ƻ
3=३૩ꞫȜƷꝪⲜⳄⳌЗӠ𖼻𑣊 3̦=Ҙ 4=Ꮞ𑢯 5=Ƽ𑢻 6=ⳓⳒϬⳜбᏮ𑣕 7=𐓒𑣆 8=৪੪ȣȢ𐌚 9=੧୨৭൭ꝮⳋⳊ𑣌𑢬𑣖 :=ꓽ <·=ⲵⲴ ?=ʔɁᎮ A=ΑАᎪᗅꓮ𖽀𐊠 AA=Ꜳ
AE=ÆӔ AO=Ꜵ AU=Ꜷ AV=ꜸꜺ AY=Ꜽ B=ꞴΒⲂВᏴᗷꓐ𐊂𐊡𐌁 C=𑣩𑣲ⲤСᏟꓚ𐊢𐌂𐐕𐔜 C'=Ƈ C̦=Ҫ D=Ꭰᗞᗪꓓ D̵=ĐÐƉ E=ΕЕⴹᎬꓰ𑢦𑢮𐊆 E̸=Ɇ
F=ꞘϜᖴꓝ𑣂𑢢𐊇𐊥𐔥 F̦=Ƒ G=ԌᏀᏳꓖ G'=Ɠ G̵=Ǥ H=ΗⲎНᎻᕼꓧ𐋏 H̦=ӉӇ H̩=ⱧҢ H̵=Ħ J=ꞲͿЈᎫᒍꓙ J̵=Ɉ K=ΚⲔКᏦᛕꓗ𐔘 K'=Ƙ K̩=ⱩҚ
K̵=ꝀҞ L=ⳐᏞᒪꓡ𖼖𑢣𑢲𐐛𐔦 L̸=Ł M=ΜϺⲘМᎷᗰᛖꓟ𐊰𐌑 M̦=Ӎ N=ΝⲚꓠ𐔓 N̦=Ɲ O=೦〇𑣠ΟⲞОՕⵔዐଠ𐓂ꓳ𑢵𐊒𐊫𐐄𐔖𑷠 O'=Ꭴ OE=Œ OO=ꝎꚘ
O̵=ƟꝊθΘⲐӨѲⴱᎾᏫ O̸=Øⵁ P=ΡⲢⳎРᏢᑭꓑ𐊕 Q=ⵕ R=ƦᎡᏒ𐒴ᖇꓣ𖼵 S=ЅՏᏕᏚꓢ𖼺𐊖𐐠 T=ΤⲦТᎢꓔ𖼊𑢼𐊗𐊱𐌕 T3=Ꜩ T̨=Ʈ T̩=Ҭ T̵=Ŧ T̸=Ⱦ
U=Սሀ𐓎ᑌꓴ𖽂𑢸 U̵=ɄᏌ V=ѴⴸᏙᐯꛟꓦ𖼈𑢠𐔝 W=𑣦𑣯ԜᎳᏔꓪ X=𐌢𑣬ꞳΧⲬХⵝᚷꓫ𐊐𐊴𐌗𐔧 X̩=Ҳ Y=ΥⲨУҮᎩᎽꓬ𖽃𑢤𐊲 Y̵=ɎҰ Z=𑣥𐋵ΖᏃꓜ𑢩 Z̦=Ȥ Z̵=Ƶ
a=ɑαа aa=ꜳ ae=æӕ ao=ꜵ au=ꜷ av=ꜹꜻ ay=ꜽ b=ƄЬᏏᑲᖯ𖺶 bl=Ы b̄=ƃƂБ ḃ=ᑳ b̔=ɓ b̵=ƀҍҌѣѢ c=ᴄⲥсငၚꮯ𐐽 c̦=ҫ c̸=ȼ
d=ԁᏧᑯꓒ dz=ʣ dȝ=ʤ dʑ=ʥ d̄=ƌ d̔=ɗ d̨=ɖ d̵=đ e=ꬲеҽ ę=ҿ e̸=ɇ f=ꬵꞙƒẝք fn̩=ʩ f̴=ᵮ g=ɡᶃƍց g̔=ɠ g̵=ǥ
h=һհᏂ h̔=ɦꚕᏲ h̵=ħћ i=ıɪɩιⲓіꙇւꭵᎥ𑣃 i̵=ɨᵻᵼ j=ϳј j̵=ɉ k̔=ƙ l=𐌠ƖǀΙⲒІӏӀⵏᛁꓲ𖼨𐊊𐌉𑷚𑷡𖺪 lO=Ю ll=ǁ ls=ʪ lz=ʫ
lȝ=ɮ l̨=ɭ l̴=ɫ l̵=Ɨƚ l̸=ł n=ոռ n̨=ɳ n̩=ƞŋηղ n̴=ᵰ o=०০੦૦୦௦౦൦๐໐၀០𑓐ᴏᴑꬽοσⲟϭоჿօഠဝ𐓪𑣈𑣗𐐬 oe=œ oo=ꝏꚙ ơ=ꭴ
o̵=ɵꝋⲑөѳꮎꮻ o̸=øꬾ oာ=თတ oᴇ=ɶ p=þƿρϸⲣⳏр p̔=ƥ p̵=ᵽ q=ԛգզ q̔=ʠ r=ꭇꭈᴦⲅгꮁ r'=ґ rn=𑣣𑜀 rn̦=ɱ rn̴=ᵯ r̨=ɽ
r̩=ɼ r̴=ᵲ r̵=ɍғ s=ꜱƽѕടꮪ𑣁𐑈 s̨=ʂ s̴=ᵴ tf=ꝷ ts=ʦ tȝ=ꜩ tɕ=ʨ tʃ=ʧ t̔=ƭ t̴=ᵵ t̵=ŧ u=ꞟᴜꭎꭒʋυս𐓶𑣘 ue=ᵫ uo=ꭣ
u̩=џ u̵=ᵾꮜ v=ᴠνѵ𑜆ꮩ𑣀 w=ɯᴡⲽѡшԝա𑜊𑜎𑜏ꮃ ẇ=𑓅 w̦=ꝡ x=хᕁᕽ y=ɣᶌʏỿꭚγⲩуүყ𑣜 y̔=ƴ y̵=ɏұ z=ᴢꮓ𑣄 z̦=ȥ z̨=ʐ z̴=ᵶ
z̵=ƶ ·=ꞏ Þ=Ϸ ß=ꞵẞꟖβᏰ ĸ=ᴋκⲕкꮶ ĸ̩=қ ĸ̵=ҟ ƅ=ьꮟ ƅi=ы Ɔ=ↃϽꓛ Ǝ=ꓱ Ə=Ә Ɛ=ԐᏋ ƨ=ᴤϩꙅ Ʃ=Σ ƫ=Ꮏ ǝ=əә ǝo=ᴔ ǝo̵=ꭂ
ǝo̸=ꭁ ǝ˞=ɚ Ƕ=Ԋ ȝ=ʒꝫⳅⳍӡ ȷ=յ ɂ=ꭾ Ʌ=ꟚΛЛꓥ Ʌ̦=Ӆ Ʌ̸=Ƛ ɋ=ᶐ ɔ=ↄᴐͻ ɔe=ꭢ ɔ̸=ꬿ ɜ=ᴈз ɜ̦=ҙ ɢ=ԍꮐᏻ ɰ=պ ɴ=ⲛ
ɸ=φⲫⳡⳠф ɾ̴=ᵳ ʀ=ꭱꮢ ʃ=ꭍ ʊ̵=ᵿ ʌ=ᴧⲗ ʍ=ᴍⲙмꮇ ʍ̦=ӎ ʓ=ⲝ ʘ=Ꙩ ʙ=ⲃвᏼ ʚ=ꞝ ʜ=ⲏнꮋ ʜ̦=ӊӈ ʜ̩=ң ʟ=ⳑꮮ ˉb=ъ ˉbi=ꙑ
Γ=ⲄГᎱ Γ'=Ґ Γ̵=Ғ Δ=Ⲇ Ξ=Ⲷ Π=ⲠП Φ=ⲪФՓ Ψ=ⲮѰ λ=ꟛⲖ λ̸=ƛ π=ᴨⲡп ς=ϛⲋ χ=ꭓꭕⲭ ψ=ⲯѱ ω=ꞷⲱꙍ ϗ=ⳤ ϼ=ⳁ Ж̩=Җ И=Ͷ
Ѝ̦=Ҋ Ч=Ϥ Ш=Ⲽ Ъl=Ꙑ ж̩=җ й̦=ҋ л=ᴫ л̦=ӆ ч=ϥ љ=ꭠ Ѡ=Ꮗ Ҷ=Ӌ ҷ=ӌ Ҽ̨=Ҿ Ո=ꓵ Ք=Ⳁ ሆ=Մ ቡ=Ռ ኮ=Ի ጣ=Պ ᗡ=ꓷ ᙠ=ꓭ
ᴀ=ꭺ ᴅ=ꭰ ᴇ=ꭼ ᴊ=ꭻ ᴎ=ͷи ᴘ=ᴩꮲ ᴙ=я ᴛ=τⲧтꭲ ᴛ̩=ҭ ẟ=δⳝծ Ⅎ=ꓞ ∂̵=ð ≡=ⲷ Ⱬ=Ⲍ ⱬ=ⲍ Ɐ=ꓯ Ⱶ=ͰᎨᎰ ⱶ=ꮀ ー=ꟷ ꓕ=Ʇ ꓤ=Ꞟ
Ꙍ=ꞶⲰ ꜧ=ꞕ Ꜿ=Ͽ ꜿ=ͽ Ꝺ=ꝺ Ꞓ=ⲈЄ ꞓ=ɛεⲉєԑꮛ ꟎=ʕ꟏ ꟓ=꟒ ꟕ=꟔ 𐊨=Ꚛ 𐐒=Ꞛ 𐐺=ꞛ
`;

/** Accents that look like another accent. The list has the same source. */
const ACCENTS: Record<string, string> = {
  '\u0302': '\u0311',
  '\u0303': '\u0342',
  '\u0304': '\u0305',
  '\u0306': '\u030c',
  '\u0307': '\u0358',
  '\u0313': '\u0315\u0343',
  '\u0326': '\u0321\u0327\u0339',
  '\u0328': '\u0322\u0345',
  '\u0331': '\u0320',
  '\u0333': '\u0347',
  '\u0335': '\u0336',
  '\u0338': '\u0337',
};

const PROTOTYPES = new Map(
  [
    ...LOOK_ALIKES.trim()
      .split(/\s/)
      .map((each) => each.split('=') as [string, string]),
    ...Object.entries(ACCENTS),
  ].flatMap(([prototype, others]) => [...others].map((other) => [other, prototype] as const)),
);

/**
 * Returns a text that is the same for names that look alike. Capital and small letters count as the
 * same. No person reads this text.
 */
export const lookOf = (name: string): string =>
  [...name.normalize('NFD')]
    .map((character) => PROTOTYPES.get(character) ?? character)
    .join('')
    .toLowerCase()
    .replaceAll('rn', 'm')
    .replaceAll(/[i1|]/g, 'l')
    .replaceAll('0', 'o')
    .replaceAll(/\p{Pd}/gu, '-')
    .replaceAll(/[\p{Pi}\p{Pf}`´ʹʻʼ]/gu, "'");
