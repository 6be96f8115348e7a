package match

import (
	"errors"
	"strings"
	"testing"
)

func TestPattern_SaysWhereItGoesWrong(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`a(b)c(d`:                         "missing closing ), at character 6",
		`é(`:                              "missing closing ), at character 2",
		`a[b]c[d`:                         "missing closing ], at character 6",
		`ab)`:                             "unexpected ), at character 3",
		`a*b|*`:                           "missing argument to repetition operator *, at character 5",
		`ab\yz`:                           `invalid escape sequence \y, at character 3`,
		`x[z-a]`:                          "invalid character class range z-a, at character 3",
		`abc\`:                            `trailing backslash at end of expression, at character 4`,
		"\xff":                            "at character 1",
		`(a{1000}){1000}`:                 "at character",
		`(\pL{500}|x){10}y`:               "at character",
		strings.Repeat("a", maxPattern+1): "too long",
		strings.Repeat(`[a-m]{900}.`, 9):  "too large",
	} {
		_, err := Compile(pattern)
		var bad *PatternError
		if !errors.As(err, &bad) {
			t.Errorf("%q: %v", pattern, err)
			continue
		}
		if !strings.Contains(err.Error(), want) || bad.At > len(pattern) {
			t.Errorf("%q: %v, want %q", pattern, err, want)
		}
	}
}

func TestPattern_TakesCapitalsForCapitalsOnlyWhereTheyAreFound(t *testing.T) {
	t.Parallel()
	for pattern, both := range map[string]bool{
		`deploy`: true, `Deploy`: false, `\Wdeploy`: true, `\pLx`: true, `\p{Lu}x`: true, `\x4Ax`: true, `\x{4A}x`: true,
		`(?P<Name>x)`: true, `(?U)x`: true, `(?:X)`: false, `[A-Z]`: false, `\QA\E`: false, `\Qa\E`: true, `Ä`: false, `\`: true,
	} {
		if got := !patternHasCapital(pattern); got != both {
			t.Errorf("%s finds both cases: %t", pattern, got)
		}
	}
}

func TestPattern_KnowsATextWithoutWhichItFindsNothing(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"deploy": "deploy", "dep.*loyment": "loyment", "(foo|bar)+x?": "foo bar", "a*": "", "(ab)*": "", "x(ab)?": "x",
		"[ab]cd": "cd", "(foo|[ab])": "", "(?:customer){2,3}": "customer", `^\s*$`: "", "Foo|bar": "Foo bar",
	} {
		e, err := newExpression(pattern, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range e.needs {
			text := string(n.text)
			if pattern == strings.ToLower(pattern) {
				text = strings.ToLower(text)
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s needs %q, want %q", pattern, got, want)
		}
	}
}
