package guard

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// finder finds all matches of a regular expression, like FindAllIndex. If every match contains a keyword, it searches only windows
// around keywords. A window has everything that a match with its keyword can contain, and a code point more on both sides for what an
// assertion looks at. So the result is the same: a match can't begin at the edge of a window or reach the other edge.
type finder struct {
	re       *regexp.Regexp
	windowed bool

	before  int            // most bytes of a match before its keyword
	length  int            // most bytes of a match; unbounded: any number
	bytes   byteSet        // all that a match can contain
	tail    *regexp.Regexp // how it goes on from the keyword; nil: not known
	tailLen int            // most bytes that it matches
	rare    byteSet        // bytes that are rare in prose: every match has one of them
	rareIn  int            // among so many from its keyword on; 0: not known
	needs   [][]byte       // what every match contains besides, in lower case
}

const (
	unbounded = 1 << 30
	margin    = utf8.UTFMax
	// Windows of this size are searched in less time than a tail is matched.
	smallWindow = 64
	// A longer tail rejects few keywords more, and takes longer.
	maxTail = 64
	// A shorter text is in most texts.
	minNeed = 4
	// More words than this are not followed through an expression.
	maxWords = 200
)

func newFinder(expr string, keywords []string) *finder {
	f := &finder{re: regexp.MustCompile(expr)}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil || len(keywords) == 0 {
		return f
	}
	lower := make([]string, len(keywords))
	for i, word := range keywords {
		lower[i] = strings.ToLower(word)
	}
	f.length = extent(tree, &f.bytes)
	parts := sequence(tree, nil)
	from, offset, ok := keyed(parts, lower)
	if !ok {
		return f
	}
	f.windowed = true
	f.before = add(lengths(parts[:from]), offset)
	f.needs = slices.DeleteFunc(needed(parts), func(text []byte) bool { return slices.Contains(lower, string(text)) })
	if tails, ok := tailsOf(parts, lower); ok && add(f.before, f.length) > smallWindow {
		all := &syntax.Regexp{Op: syntax.OpAlternate, Sub: tails, Flags: tree.Flags}
		f.tail, f.tailLen = regexp.MustCompile(`\A(?:`+all.String()+`)`), extent(all, nil)
		f.rareIn = rareIn(tails, &f.rare)
	}
	return f
}

// tailsOf returns how a match can go on from the keyword on that keyed finds. It does not know that if something else can
// be between the beginning of these parts and the keyword.
func tailsOf(parts []*syntax.Regexp, keywords []string) (out []*syntax.Regexp, ok bool) {
	from, _, ok := keyed(parts, keywords)
	if !ok {
		return nil, false
	}
	if offset, ok := spelledAt(parts[from:], keywords); ok {
		return []*syntax.Regexp{tailOf(parts[from:])}, offset == 0
	}
	for _, branch := range parts[from].Sub {
		some, ok := tailsOf(sequence(branch, nil), keywords)
		if !ok {
			return nil, false
		}
		out = append(out, some...)
	}
	return out, true
}

// tailOf returns the first of some parts. A tail is matched with the text from its keyword on, so it has nothing that looks
// at what is before that.
func tailOf(parts []*syntax.Regexp) *syntax.Regexp {
	tail := &syntax.Regexp{Op: syntax.OpConcat}
	size, begun := 0, false
	for _, part := range parts {
		n := extent(part, nil)
		if n == 0 && !begun {
			continue
		}
		if size = add(size, n); size > maxTail && len(tail.Sub) > 0 {
			break
		}
		tail.Sub = append(tail.Sub, part)
		begun = begun || !maybeEmpty(part)
	}
	return tail
}

// rareIn adds to set bytes that are rare in prose and of which each of some tails has one, and returns among how many; 0 if
// there are no such bytes.
func rareIn(tails []*syntax.Regexp, set *byteSet) (most int) {
	for _, tail := range tails {
		within := 0
		i := slices.IndexFunc(tail.Sub, func(part *syntax.Regexp) bool {
			var own byteSet
			n := extent(part, &own)
			within = add(within, n)
			return n > 0 && !own.inProse() && !maybeEmpty(part)
		})
		if i < 0 {
			return 0
		}
		extent(tail.Sub[i], set)
		most = max(most, within)
	}
	return most
}

// maybeEmpty reports whether an expression can match the empty text.
func maybeEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	case syntax.OpCapture, syntax.OpPlus:
		return maybeEmpty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || maybeEmpty(re.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !maybeEmpty(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, maybeEmpty)
	}
	return true
}

// needed returns texts that every match contains.
func needed(parts []*syntax.Regexp) (out [][]byte) {
	for _, part := range parts {
		switch part.Op {
		case syntax.OpLiteral:
			if list, ok := spelled(part); ok && len(list[0]) >= minNeed {
				out = append(out, []byte(list[0]))
			}
		case syntax.OpAlternate:
			in := needed(sequence(part.Sub[0], nil))
			for _, branch := range part.Sub[1:] {
				other := needed(sequence(branch, nil))
				in = slices.DeleteFunc(in, func(text []byte) bool {
					return !slices.ContainsFunc(other, func(o []byte) bool { return bytes.Equal(o, text) })
				})
			}
			out = append(out, in...)
		}
	}
	return out
}

// find returns what FindAllIndex returns. hits are the offsets of the keywords, ascending.
func (f *finder) find(text []byte, hits []int) [][]int {
	hits = slices.DeleteFunc(slices.Clone(hits), func(hit int) bool { return !f.follows(text, hit) })
	if len(hits) == 0 || f.lacks(text) {
		return nil
	}
	var out [][]int
	for i := 0; i < len(hits); {
		first, last := hits[i], hits[i]
		low, high := f.reach(text, first)
		for i++; i < len(hits); i++ {
			nextLow, nextHigh := f.reach(text, hits[i])
			if nextLow > high {
				break
			}
			last, high = hits[i], max(high, nextHigh)
		}
		for _, m := range f.re.FindAllIndex(text[low:high], -1) {
			// After the last keyword the window may end too early for another one.
			if low+m[0] <= last {
				out = append(out, []int{low + m[0], low + m[1]})
			}
		}
	}
	return out
}

// follows reports whether a match can have its keyword at a hit.
func (f *finder) follows(text []byte, hit int) bool {
	if f.rareIn > 0 && !slices.ContainsFunc(text[hit:min(len(text), hit+f.rareIn)], f.rare.has) {
		return false
	}
	return f.tail == nil || f.tail.Match(text[hit:min(len(text), add(hit, f.tailLen)+margin)])
}

// lacks reports whether a text does not have all that every match contains.
func (f *finder) lacks(text []byte) bool {
	if len(f.needs) == 0 {
		return false
	}
	lower := bytes.ToLower(text)
	return slices.ContainsFunc(f.needs, func(need []byte) bool { return !bytes.Contains(lower, need) })
}

// reach returns the window of a hit.
func (f *finder) reach(text []byte, hit int) (low, high int) {
	low, high = hit, hit
	for limit := max(0, hit-f.before); low > limit && f.bytes.has(text[low-1]); {
		low--
	}
	for limit := min(len(text), add(hit, f.length)); high < limit && f.bytes.has(text[high]); {
		high++
	}
	return max(0, low-margin), min(len(text), high+margin)
}

// sequence appends the parts that a match consists of, one after the other.
func sequence(re *syntax.Regexp, parts []*syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpCapture:
		return sequence(re.Sub[0], parts)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			parts = sequence(sub, parts)
		}
		return parts
	}
	return append(parts, re)
}

// keyed finds the parts that always contain a keyword: the first of them, and the highest offset at which the keyword begins in them.
func keyed(parts []*syntax.Regexp, keywords []string) (from, offset int, ok bool) {
	for from, part := range parts {
		if offset, ok := spelledAt(parts[from:], keywords); ok {
			return from, offset, true
		}
		if offset, ok := keyedInside(part, keywords); ok {
			return from, offset, true
		}
	}
	return 0, 0, false
}

// spelledAt reports whether parts begin with one of a few texts that each have a keyword, and its highest offset.
func spelledAt(parts []*syntax.Regexp, keywords []string) (offset int, ok bool) {
	list := []string{""}
	for _, part := range parts {
		more, known := spelled(part)
		if !known || len(list)*len(more) > maxWords {
			break
		}
		list = product(list, more)
		if offset, ok := contains(list, keywords); ok {
			return offset, true
		}
	}
	return 0, false
}

// keyedInside does it for what has parts itself: each branch of an alternation, or the first of several repetitions.
func keyedInside(re *syntax.Regexp, keywords []string) (offset int, ok bool) {
	if re.Op != syntax.OpAlternate && re.Op != syntax.OpPlus && (re.Op != syntax.OpRepeat || re.Min == 0) {
		return 0, false
	}
	for _, branch := range re.Sub {
		parts := sequence(branch, nil)
		from, at, ok := keyed(parts, keywords)
		if !ok {
			return 0, false
		}
		offset = max(offset, add(lengths(parts[:from]), at))
	}
	return offset, true
}

// lengths returns the most bytes that all parts together match.
func lengths(parts []*syntax.Regexp) int {
	n := 0
	for _, part := range parts {
		n = add(n, extent(part, nil))
	}
	return n
}

// contains reports whether each text of a list has a keyword, and the highest offset of the first one.
func contains(list, keywords []string) (offset int, ok bool) {
	for _, text := range list {
		first := len(text)
		for _, word := range keywords {
			if at := strings.Index(text, word); at >= 0 {
				first = min(first, at)
			}
		}
		if first == len(text) {
			return 0, false
		}
		offset = max(offset, first)
	}
	return offset, len(list) > 0
}

func product(heads, tails []string) []string {
	out := make([]string, 0, len(heads)*len(tails))
	for _, head := range heads {
		for _, tail := range tails {
			out = append(out, head+tail)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// spelled returns all texts that an expression matches, in lower case, if they are few and only ASCII letters have another case.
func spelled(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}, true
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r >= utf8.RuneSelf && unicode.SimpleFold(r) != r {
				return nil, false
			}
		}
		return []string{strings.ToLower(string(re.Rune))}, true
	case syntax.OpCharClass:
		var list []string
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if folds(r) {
					continue
				}
				if r >= utf8.RuneSelf || len(list) > 8 {
					return nil, false
				}
				list = append(list, strings.ToLower(string(r)))
			}
		}
		slices.Sort(list)
		return slices.Compact(list), true
	case syntax.OpCapture:
		return spelled(re.Sub[0])
	case syntax.OpQuest:
		list, ok := spelled(re.Sub[0])
		return append(list, ""), ok
	case syntax.OpConcat:
		list := []string{""}
		for _, sub := range re.Sub {
			more, ok := spelled(sub)
			if !ok || len(list)*len(more) > maxWords {
				return nil, false
			}
			list = product(list, more)
		}
		return list, true
	case syntax.OpAlternate:
		var list []string
		for _, sub := range re.Sub {
			more, ok := spelled(sub)
			if !ok || len(list)+len(more) > maxWords {
				return nil, false
			}
			list = append(list, more...)
		}
		return list, true
	}
	return nil, false
}

// folds reports whether r is a letter for which plainCase looks: a text that has one is not searched by windows.
func folds(r rune) bool { return r == 'ſ' || r == '\u212a' }

// extent returns the most bytes that an expression matches, and adds those it can match to set, which may be nil.
func extent(re *syntax.Regexp, set *byteSet) int {
	switch re.Op {
	case syntax.OpLiteral:
		n := 0
		for _, r := range re.Rune {
			n += set.addRunes(r, r, re.Flags&syntax.FoldCase != 0)
		}
		return n
	case syntax.OpCharClass:
		n := 0
		for i := 0; i < len(re.Rune); i += 2 {
			n = max(n, set.addRunes(re.Rune[i], re.Rune[i+1], false))
		}
		return n
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return set.addRunes(0, utf8.MaxRune, false)
	case syntax.OpCapture, syntax.OpQuest:
		return extent(re.Sub[0], set)
	case syntax.OpStar, syntax.OpPlus:
		return times(extent(re.Sub[0], set), -1)
	case syntax.OpRepeat:
		return times(extent(re.Sub[0], set), re.Max)
	case syntax.OpConcat:
		n := 0
		for _, sub := range re.Sub {
			n = add(n, extent(sub, set))
		}
		return n
	case syntax.OpAlternate:
		n := 0
		for _, sub := range re.Sub {
			n = max(n, extent(sub, set))
		}
		return n
	}
	return 0
}

func add(a, b int) int { return min(a+b, unbounded) }

// times returns n*most, where a negative most is any number.
func times(n, most int) int {
	if n > 0 && (most < 0 || n > unbounded/max(most, 1)) {
		return unbounded
	}
	return n * max(most, 0)
}

type byteSet [256]bool

func (s *byteSet) has(c byte) bool { return s[c] }

// inProse reports whether the set has a letter, a digit, a blank or another byte that most words have beside them.
func (s *byteSet) inProse() bool {
	for c, in := range s {
		if in && (c >= utf8.RuneSelf || c <= ' ' || c == '.' || c == '-' || syntax.IsWordChar(rune(c))) {
			return true
		}
	}
	return false
}

// addRunes adds the bytes of all code points from low to high, and returns the most bytes of one.
func (s *byteSet) addRunes(low, high rune, fold bool) int {
	size := 1
	for r := low; r <= high; r++ {
		if r >= utf8.RuneSelf {
			if r == high && folds(r) {
				break
			}
			size = utf8.UTFMax
			if s != nil {
				for c := utf8.RuneSelf; c < len(s); c++ {
					s[c] = true
				}
			}
			break
		}
		if s != nil {
			s[r] = true
			if fold {
				s[strings.ToLower(string(r))[0]], s[strings.ToUpper(string(r))[0]] = true, true
			}
		}
	}
	return size
}
