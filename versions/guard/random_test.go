package guard

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unicode/utf8"
)

var (
	seed   = flag.Uint64("guard.seed", 1, "seed of the random texts; 0 draws one")
	rounds = flag.Int("guard.rounds", 500, "number of random texts")
)

// pieces are parts of secrets and what is around them, for texts in which matches are cut, joined and next to each other.
func pieces() []string {
	list := []string{"key", "token", " = ", ": ", "\"", "'", "\n", " ", "é", "日", "\xff", "=", ";", "q8Zr4Tn1Xv7Lw3Kp9Mb2Yd6H", "s.", "ey", "hvs.", "AKIA", ".", "-", "_", "access key, and the secret ", "-----BEGIN ", "://"}
	for _, c := range checkCases {
		if len(c.text) < 1000 {
			list = append(list, c.text)
		}
	}
	for _, r := range rules().rules {
		list = append(list, r.Keywords...)
	}
	return list
}

func randomText(draw *rand.Rand, from []string) (text []byte) {
	for range 1 + draw.IntN(40) {
		part := from[draw.IntN(len(from))]
		switch draw.IntN(6) {
		case 0:
			part = part[:draw.IntN(len(part)+1)]
		case 1:
			part = string(bytes.ToUpper([]byte(part)))
		}
		text = append(text, part...)
	}
	return text
}

func TestWindowsHaveTheMatchesOfTheWholeText(t *testing.T) {
	for *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-guard.seed=%d", *seed)
	draw, from, matches := rand.New(rand.NewPCG(*seed, 1)), pieces(), 0
	for i := range *rounds {
		text := randomText(draw, from)
		if _, odd := plainCase(text); odd {
			continue
		}
		at := rules().keywords.positions(text)
		for _, r := range rules().rules {
			if r.find == nil || len(r.hits(at)) == 0 || !r.find().windowed {
				continue
			}
			want := r.find().re.FindAllIndex(text, -1)
			got := r.find().find(text, r.hits(at))
			matches += len(want)
			if !slices.EqualFunc(got, want, slices.Equal) {
				t.Fatalf("-guard.seed=%d, text %d: %s matches %v in windows, %v in all of %q", *seed, i, r.ID, got, want, text)
			}
		}
	}
	if matches < *rounds {
		t.Errorf("only %d matches: the test shows little", matches)
	}
}

func TestWordsAreFoundWhereverTheyAre(t *testing.T) {
	list := []string{"he", "she", "his", "hers", "s.", "-key-", "e"}
	text := []byte("uSHErs his.HE-key--KEY-")
	got := newWords(list).positions(text)
	for n, word := range list {
		var want []int
		for i := range text {
			if bytes.HasPrefix(bytes.ToLower(text[i:]), []byte(word)) {
				want = append(want, i)
			}
		}
		if !slices.Equal(got[n], want) {
			t.Errorf("%q is at %v, want %v", word, got[n], want)
		}
	}
	if newWords(list).in([]byte("nop.xx")) || !newWords(list).in([]byte("xxS.")) {
		t.Error("a text is said to have a word that it has not, or not to have one that it has")
	}
}

func FuzzCheck(f *testing.F) {
	sentences := map[string]bool{}
	for _, c := range checkCases {
		if len(c.text) < 1000 {
			f.Add(c.path, []byte(c.text))
		}
		for _, found := range Check(c.path, []byte(c.text)) {
			sentences[found.Why] = true
		}
	}
	for _, r := range rules().rules {
		sentences[r.Description] = true
	}
	sentences[selectors.why] = true
	f.Fuzz(func(t *testing.T, path string, text []byte) {
		before := slices.Clone(text)
		found := Check(path, text)
		if !bytes.Equal(text, before) {
			t.Fatal("the text was changed")
		}
		if !slices.Equal(found, Check(path, text)) {
			t.Fatal("a second check finds something else")
		}
		last := 0
		for _, f := range found {
			if f.Start < last || f.End < f.Start || f.End > len(text) {
				t.Fatalf("%+v: not in the text, or not in order", f)
			}
			last = f.Start
			if f.Line != 1+bytes.Count(text[:f.Start], []byte("\n")) || f.Column != 1+utf8.RuneCount(text[bytes.LastIndexByte(text[:f.Start], '\n')+1:f.Start]) {
				t.Fatalf("%+v: not at this line and column", f)
			}
			if !sentences[f.Why] {
				t.Fatalf("%+v: says what no rule says", f)
			}
		}
	})
}

// A window ends somewhere. A value that is too long for its rule must not match because only a part of it is in the window.
func TestAWindowDoesNotCutAValueToTheRightLength(t *testing.T) {
	const value = "0123456789abcdef0123456789abcdef"
	for _, r := range rules().rules {
		if r.ID != "adafruit-api-key" {
			continue
		}
		for n := range 300 {
			text := []byte("adafruit = " + value + "; " + string(bytes.Repeat([]byte("x"), n)) + " adafruit = " + value + value + "\n")
			got, want := r.find().find(text, r.hits(rules().keywords.positions(text))), r.find().re.FindAllIndex(text, -1)
			if !slices.EqualFunc(got, want, slices.Equal) {
				t.Fatalf("with %d characters between: %v in windows, %v in all of it", n, got, want)
			}
		}
	}
}

// A tail is matched with the text from a keyword on: it can't see that the keyword follows a letter.
func TestATailDoesNotLookBeforeItsKeyword(t *testing.T) {
	f := newFinder(`[a-z]{1,30}\b-key=[0-9]{9,90}`, []string{"-key"})
	text := []byte("the-key=0123456789")
	if f.tail == nil || !f.windowed {
		t.Fatal("the expression has no tail")
	}
	if got, want := f.find(text, []int{3}), f.re.FindAllIndex(text, -1); len(want) != 1 || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v in windows, %v in all of %q", got, want, text)
	}
}
