package cli

import (
	"bufio"
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/review"
)

// What agents write and are called must not be more than text in a digest that is mailed.
var hostileTexts = []string{
	"](http://evil)", "[x](http://evil)", "http://evil", "www.evil.example", "a@evil.example", "<http://evil>", "# heading", "<img src=x>", "<!--",
	"`](http://evil)`", "``` ](http://evil)", "`", "``", " `x` ", "\\`[x](http://evil)", "x\n# heading\n\n[y](http://evil)", "x\r# heading", "&lt;img&gt;",
	"\x1b[31mred", "\u202eltr", "\u2028# heading", "**bold**", "- item", "1. item", "> quote", "| a | b |", "---", "===", "[x]: http://evil", "\x00", "\xff",
}

func TestDigest_LetsNoTextBeMoreThanText(t *testing.T) {
	t.Parallel()
	tag := regexp.MustCompile(`</?([a-z]+[0-9]?)`)
	for _, hostile := range hostileTexts {
		actor := versions.Actor{Kind: versions.Agent, Name: hostile}
		v := versions.Version{Change: 1, Operation: versions.Created, Actor: actor, Session: versions.SessionID(hostile)}
		m := &review.Written{Made: []versions.Version{v}, Facts: review.Facts{Reason: review.Reason{Why: hostile}}}
		d := digest{held: []versions.Held{{Number: 1, Kind: versions.KindEdit, By: versions.By{Actor: actor}, Rule: hostile}}, written: []*review.Written{m, m, m, m, m, m, m, m, m}, waiting: 10}
		d.sessions = append(d.sessions, &sessionDigest{Act: &review.Act{Actor: actor, Session: v.Session, Memories: d.written}, prompt: hostile, learned: d.written})
		path, err := memfs.ParsePath("/" + strings.NewReplacer("/", "", "\n", "", "\x00", "", "\xff", "").Replace(hostile))
		if err != nil {
			path = memfs.Root
		}
		var out, page bytes.Buffer
		for _, markdown := range []bool{false, true} {
			out.Reset()
			p := &console{out: bufio.NewWriter(&out), stdout: &out}
			form := digestForm{p: p, markdown: markdown, store: hostile, asked: hostile}
			form.print(&d, [][]effect{{{did: learned, path: path, from: path, line: hostile}, {did: changed, path: path, line: hostile, gone: true}}})
			if err := p.flush(); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(out.String(), "\x1b\x00\r\u202e\u2028") {
				t.Errorf("%q is not escaped:\n%q", hostile, out.String())
			}
		}
		if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(out.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, found := range tag.FindAllStringSubmatch(page.String(), -1) {
			count[found[1]]++
			if !strings.Contains(" h1 h2 ul li code p ", " "+found[1]+" ") {
				t.Errorf("%q becomes <%s>:\n%s", hostile, found[1], out.String())
			}
		}
		if count["h1"] != 2 || count["h2"] != 4 || count["li"] != 2*13 {
			t.Errorf("%q changes the parts of the digest: %v\n%s", hostile, count, out.String())
		}
	}
}

func TestCodeSpan_IsWhatItQuotes(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"a", "`", "``", "`a`", "a `` b ` c", " a ", "\\`", "a b", "*x*"} {
		var page bytes.Buffer
		if err := goldmark.Convert([]byte(codeSpan(s)), &page); err != nil {
			t.Fatal(err)
		}
		if got := page.String(); got != "<p><code>"+s+"</code></p>\n" {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

// A digest has room for so much, whatever happened.
func TestDigest_FitsAScreen(t *testing.T) {
	t.Parallel()
	m := &review.Written{Made: []versions.Version{{Change: 1, Operation: versions.Created}}}
	for _, sessions := range []int{1, 2, 6, 100} {
		d := digest{held: make([]versions.Held, 50), waiting: 100, since: time.Now(), cut: sessions == 100}
		var effects [][]effect
		for range 50 {
			d.written = append(d.written, m)
		}
		for range sessions {
			d.sessions = append(d.sessions, &sessionDigest{Act: &review.Act{Session: "s", Memories: d.written}, prompt: "x", learned: d.written})
		}
		shown, most := d.shownSessions()
		for range shown {
			effects = append(effects, make([]effect, most))
		}
		var out bytes.Buffer
		p := &console{out: bufio.NewWriter(&out), stdout: &out}
		(&digestForm{p: p, store: "work", asked: "1d"}).print(&d, effects)
		if err := p.flush(); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "\n"); n > 56 {
			t.Errorf("%d sessions take %d lines:\n%s", sessions, n, out.String())
		}
		if strings.Contains(out.String(), ", only the newest 20000 versions\n") != d.cut {
			t.Errorf("%d sessions, cut %v:\n%s", sessions, d.cut, out.String())
		}
		if want := "and 92 more: memend review -s work\n"; !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
}
