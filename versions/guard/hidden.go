package guard

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
)

// A hiddenRule is what is said of a run of characters that a terminal does not show. Which characters these are, and where a joiner
// has its ordinary function, is known to memfs.
type hiddenRule struct {
	name     string
	severity Severity
	why      string
}

var (
	tagCharacters = &hiddenRule{"tag-characters", High, "Tag characters are invisible, but a model reads them as letters."}
	bidiOverride  = &hiddenRule{"bidi-override", High, "An override of the text direction makes a line look different from what it says."}
	bidiControl   = &hiddenRule{"bidi-control", Medium, "A control of the text direction, in a line without right-to-left letters."}
	selectors     = &hiddenRule{"variation-selectors", Medium, "Variation selectors after a character that has no variants can hold hidden data."}
	zeroWidth     = &hiddenRule{"zero-width", Low, "A zero-width character splits words for programs but not for readers."}
	longRun       = &hiddenRule{"hidden-run", High, "A run of invisible characters can hold a hidden message."}
	controls      = &hiddenRule{"control-character", Medium, "A control character can command a terminal, or overwrite what it shows."}
	invisible     = &hiddenRule{"invisible-character", Low, "A character that is not shown."}
)

// longHiddenRun is more than people write: two or three invisible characters in a row, in emoji and after letters with marks.
const longHiddenRun = 4

// hidden returns the runs of characters that are not shown and have no ordinary function.
func hidden(text []byte) []Finding {
	var out []Finding
	var run *hiddenRule // of text[start:end], which has count characters
	start, end, count := 0, 0, 0
	flush := func() {
		if run == nil {
			return
		}
		if count >= longHiddenRun && run.severity != High && run != controls {
			run = longRun
		}
		out = append(out, Finding{Rule: run.name, Kind: Hidden, Severity: run.severity, Start: start, End: end, Why: run.why})
		run = nil
	}
	rightToLeft := rightToLeftLines(text)
	prev := rune(0)
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= ' ' && r < 0x7f { // most are, and these are shown
			prev = r
			i++
			continue
		}
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		if memfs.HiddenRune(r) || r == '\r' {
			next, _ := utf8.DecodeRune(text[i+size:])
			if n := flagTags(text[i:], prev); n > 0 {
				size = n
			} else if rule := hiddenAs(prev, r, next, i, rightToLeft); rule != nil {
				if rule != run || end != i {
					flush()
					run, start, count = rule, i, 0
				}
				end = i + size
				count++
			}
		}
		prev = r
		i += size
	}
	flush()
	return out
}

// hiddenAs returns what is said of the hidden character r at an offset, or nil if it has its ordinary function there.
func hiddenAs(prev, r, next rune, at int, rightToLeft func(int) bool) *hiddenRule {
	switch {
	case memfs.Joins(prev, r, next):
		return nil
	case r == '\r':
		if next == '\n' {
			return nil
		}
		return controls
	case r < 0xa0:
		return controls
	case r == 0xad: // a soft hyphen
		if unicode.IsLetter(prev) && unicode.IsLetter(next) {
			return nil
		}
		return zeroWidth
	case r == 0xfeff && at == 0: // a byte order mark
		return nil
	case r >= 0xe0000 && r <= 0xe007f:
		return tagCharacters
	case r == 0x202d || r == 0x202e:
		return bidiOverride
	case unicode.Is(unicode.Bidi_Control, r):
		if rightToLeft(at) {
			return nil
		}
		return bidiControl
	case r == 0x200b && (unicode.In(prev, unbroken...) || unicode.In(next, unbroken...)):
		return nil
	case r == 0x200b || r == 0x200c || r == 0x200d || r == 0x2060 || r == 0xfeff || r == 0x34f || r == 0x180e:
		return zeroWidth
	case unicode.Is(unicode.Variation_Selector, r):
		if unicode.In(prev, unicode.Han, unicode.Mongolian, unicode.Myanmar, unicode.Phags_Pa, unicode.Sm, unicode.So) {
			return nil
		}
		return selectors
	case unicode.In(prev, unicode.Hangul, unicode.Khmer) && unicode.In(r, unicode.Hangul, unicode.Khmer):
		return nil
	}
	return invisible
}

// unbroken are scripts without spaces between words, which mark places for line breaks with zero-width spaces.
var unbroken = []*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Han, unicode.Hiragana, unicode.Katakana}

// leftward are the scripts in use that are written from right to left.
var leftward = []*unicode.RangeTable{unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam, unicode.Hanifi_Rohingya}

// rightToLeftLines returns a function that reports whether the line of an offset has right-to-left letters. The offsets must ascend.
func rightToLeftLines(text []byte) func(int) bool {
	end, has := 0, false // of the line that was asked about last
	return func(at int) bool {
		if at < end {
			return has
		}
		begin := bytes.LastIndexByte(text[:at], '\n') + 1
		end = len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		has = bytes.ContainsFunc(text[begin:end], func(r rune) bool { return unicode.In(r, leftward...) })
		return has
	}
}

// flagTags returns the length of the tags at the beginning of text that make a black flag before them that of a region; 0 if these are
// no such tags.
func flagTags(text []byte, prev rune) int {
	const blackFlag, cancelTag = 0x1f3f4, 0xe007f
	if prev != blackFlag {
		return 0
	}
	for n, i := 0, 0; n <= 6; n++ { // two letters of a country and up to three of a subdivision
		r, size := utf8.DecodeRune(text[i:])
		i += size
		switch letter := r - 0xe0000; {
		case r == cancelTag && n >= 3:
			return i
		case letter < '0' || letter > '9' && letter < 'a' || letter > 'z':
			return 0
		}
	}
	return 0
}
