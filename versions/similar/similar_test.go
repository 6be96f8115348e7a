package similar

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestSimilarity(t *testing.T) {
	t.Parallel()
	const rule = "Never deploy on Friday. Ask the owner of the service first, and wait for the answer before you go on.\n"
	for name, c := range map[string]struct {
		a, b        string
		least, most float64
	}{
		"the same text":                           {rule, rule, 1, 1},
		"other case, other lines, other marks":    {rule, strings.ToUpper(strings.ReplaceAll(rule, " ", "\n* ")), 1, 1},
		"copied into a longer text":               {rule, "# Rules\n\nUse tabs in Go files, and four spaces elsewhere.\n" + rule, 1, 1},
		"one word changed":                        {rule, strings.Replace(rule, "Friday", "Monday", 1), 0.7, 0.9},
		"another text":                            {rule, "The tests of the parser need the fixtures of the corpus, which the script fetches.", 0, 0.1},
		"a heading alone is not the whole":        {"# Rules for deployments", "# Rules for deployments\n\n" + rule, 0, 0.3},
		"two words":                               {"use tabs", "Use tabs.", 1, 1},
		"no words":                                {"---", "---", 0, 0},
		"no spaces between words":                 {"请不要在星期五部署服务，先问负责人，等他的回答。", "规则：请不要在星期五部署服务，先问负责人，等他的回答。完", 1, 1},
		"another text without spaces":             {"请不要在星期五部署服务，先问负责人，等他的回答。", "测试需要的文件由脚本下载到语料目录里面去。", 0, 0.1},
		"an empty text and one that is not UTF-8": {"", "\xff\xfe a b c", 0, 0},
	} {
		a, b := Of([]byte(c.a)), Of([]byte(c.b))
		s := Similarity(a, b)
		if s < c.least || s > c.most {
			t.Errorf("%s: %v, want %v to %v", name, s, c.least, c.most)
		}
		if other := Similarity(b, a); other != s {
			t.Errorf("%s: %v one way, %v the other", name, s, other)
		}
	}
}

// many returns texts of some 350 words in which every tenth text is an altered copy of an earlier one, all
// under the same form.
func many(n int) (texts []Text, copies map[int]int) {
	r := rand.New(rand.NewPCG(1, 2))
	form := strings.Repeat("## When to use it and what to know before: the owner, the place and the date of the last check.\n", 3)
	var sources []string
	copies = map[int]int{}
	for i := range n {
		var b strings.Builder
		for range 300 {
			fmt.Fprintf(&b, "w%d ", r.IntN(5000))
		}
		s := b.String()
		if i%10 == 9 {
			of := r.IntN(i)
			copies[i] = of
			s = strings.Replace(sources[of], "w1", "changed", 8)
		}
		sources = append(sources, s)
		texts = append(texts, Of([]byte(form+s)))
	}
	return texts, copies
}

func TestPairs_FindEveryCopyAndNothingElse(t *testing.T) {
	t.Parallel()
	texts, copies := many(500)
	found := map[[2]int]bool{}
	for _, p := range Pairs(texts, 0.7) {
		found[[2]int{p.A, p.B}] = true
		if s := Similarity(texts[p.A], texts[p.B]); s != p.Similarity || s < 0.7 || p.A >= p.B {
			t.Fatalf("%+v, but %v", p, s)
		}
	}
	for b, a := range copies {
		if !found[[2]int{a, b}] {
			t.Errorf("%d, a copy of %d, was not found", b, a)
		}
	}
	for p := range found { // copies of the same text, and of copies, are similar too
		root := func(i int) int {
			for of, ok := copies[i]; ok; of, ok = copies[i] {
				i = of
			}
			return i
		}
		if root(p[0]) != root(p[1]) {
			t.Errorf("%v are no copies", p)
		}
	}
	for b, a := range copies {
		if to := To(texts, b, 0.7); len(to) == 0 || to[0].A != b {
			t.Errorf("nothing is similar to %d, a copy of %d: %v", b, a, to)
		}
		break
	}
}

// Texts that are all alike are still found, and cost no more than others.
func TestPairs_OfTextsThatAreAllAlike(t *testing.T) {
	t.Parallel()
	var texts []Text
	for i := range 3000 {
		texts = append(texts, Of([]byte(strings.Repeat("the same words in every text of them all, again and again and so on. ", 3)+fmt.Sprint(i))))
	}
	in := map[int]bool{}
	ps := Pairs(texts, 0.7)
	for _, p := range ps {
		in[p.A], in[p.B] = true, true
	}
	if len(in) != len(texts) || len(ps) > partners*len(texts) {
		t.Errorf("%d of %d texts are in %d pairs", len(in), len(texts), len(ps))
	}
}

func BenchmarkPairs(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			texts, _ := many(n)
			for b.Loop() {
				began := time.Now()
				ps := Pairs(texts, 0.7)
				b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms")
				b.ReportMetric(float64(len(ps)), "pairs")
			}
		})
	}
}
