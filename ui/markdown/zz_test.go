package markdown
import ("testing";"os";"fmt";"github.com/memtrail/memtrail/theme";"github.com/charmbracelet/x/ansi";"strconv";"strings")
func TestZZ(t *testing.T) {
	f := os.Getenv("MD"); if f == "" { f = "testdata/sample.md" }
	src, err := os.ReadFile(f); if err != nil { t.Fatal(err) }
	d := Parse(src)
	for _, ws := range strings.Fields(os.Getenv("W")) {
		w, _ := strconv.Atoi(ws)
		l := d.Layout(w, os.Getenv("FOLD") != "")
		p := NewPen(NewStyles(theme.New(os.Getenv("LIGHT") == "", theme.Many)))
		for i := range l.Len() {
			b := string(l.Append(nil, i, p))
			if ansi.StringWidth(b) != w { fmt.Printf("!!%d ", ansi.StringWidth(b)) }
			if os.Getenv("PLAIN") != "" { b = ansi.Strip(b) }
			ln := l.LineOf(i)
			g := "    "
			if i == 0 || ln != l.LineOf(i-1) { g = fmt.Sprintf("%3d ", ln+1) }
			fmt.Printf("%s%s|\n", g, b)
		}
	}
	for i, k := range d.Links() { fmt.Println(i, fmt.Sprintf("%+v", k)) }
}
