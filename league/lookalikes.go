package league

// lookAlikes lists the characters that look like an ASCII letter or digit, one class per word, its ASCII form first. The
// facts are those of confusables.txt of Unicode Technical Standard 39, closed under upper and lower case. Left out are
// characters that NFKC replaces, combining marks, letters that are written from right to left, and Warang Citi.
const lookAlikes = `
2ƧƨϨϩᒿꙄꙅꛯꝚꝛ
3ƷȜȝɜʒЗзӠӡⳌⳍꝪꝫꞫ𖼻𝈆
4Ꮞꮞ
5Ƽ
6БбᏮⳒⳓꮾ
7𐓒𐓺𝈒
8Ȣȣ৪੪𐌚
9৭੧୨൭ⳊⳋꝮꝯ
aɑΑαАаᎪᗅ⍺Ɑꓮꭺ𐊠𖽀
bƄƅΒβВЬвьᏏᏴᏼᑲᖯᗷꓐꞴꞵꮟ𐊂𐊡𐌁
cϲϹСсᏟᴄⲤⲥꓚꮯ𐊢𐌂𐐕𐐽𐔜🝌
dԀԁᎠᏧᑯᗞᗪꓒꓓꭰꮷ
eΕεЕеҼҽᎬ℮⋿ⴹꓰꬲꭼ𐊆
fϜϝՔքᖴẝꓝꞘꞙꬵ𐊇𐊥𐔥𝈓
gƍɡԌԍՑցᏀᏳᏻᶃꓖꞬꮐ
hΗηНнҺһՀհᎻᏂᕼⲎⲏꓧꮋꮒ𐋏
jʝͿϳЈјᎫᒍꓙꞲꭻ
kΚκКкᏦᛕⲔⲕꓗꮶ𐔘
lıƖǀɩɪΙιІіӀӏ١۱ᎥᏞᒪᛁ∣⍳⏽ⲒⲓⳐⳑⵏꓡꓲꙆꙇꞮꭵꮮ𐊊𐌉𐌠𐐛𐑃𐔦𖼖𖼨𝈪
mΜμϺϻМмᎷᗰᛖⲘⲙꓟꮇ𐊰𐌑
nΝՈՌոռⲚⲛꓠ𐔓
oΟΣοσОоՕօ٥۵०০੦૦ଠ୦௦౦೦ഠ൦๐໐ဝ၀ჿዐᲿᴏᴑⲞⲟⵔ〇ꓳꬽ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑓐
pΡρРрᏢᑭ⍴Ⲣⲣꓑꮲ𐊕
qԚԛԳԶգզⵕ
rƦʀГгᎡᎱᏒᖇᴦⲄⲅꓣꭇꭈꭱꮁꮢ𐒴𐓜𖼵𝈖
sƽЅѕՏտᏕᏚꓢꜱꮥꮪ𐊖𐐠𐑈𖼺
tΤτТтᎢ⊤⟙Ⲧⲧꓔꭲ𐊗𐊱𐌕𖼊🝨
uƲʋυՍսሀᑌᴜ∪⋃ꓴꞞꞟꭎꭒ𐓎𐓶𖽂
vνѴѵ٧۷Ꮩᐯᴠ∨⋁ⴸꓦꛟꮩ𐔝𑜆𖼈𝈍
wƜɯѠѡԜԝԱաᎳᏔᴡꓪꮃꮤ𑜊𑜎𑜏
x×ΧχХхᕁᕽ᙭᙮ᚷ╳⤫⤬⨯ⲬⲭⵝꓫꞳꭓ𐊐𐊴𐌗𐌢𐔧
yƔɣʏΓΥγУуҮүყᎩᎽᲧᶌỾỿⲨⲩꓬꭚꭹꮍ𐊲𖽃
zΖζᏃᴢꓜꮓ𐋵
`
