package ui

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	talking "github.com/memend/memend/agent"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/cli/demo"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

// The pictures in the README are frames drawn by the tests, as SVG, so that they show what the
// program shows.

const (
	cellW, cellH = 8.4, 18.0
	paper, ink   = "#1c1c1c", "#dadada"
)

// svgPen is the state of the SGR sequences before a cell.
type svgPen struct {
	fg, bg                          string
	bold, italic, under, rev, faint bool
}

func (p *svgPen) sgr(params string) {
	if params == "" {
		*p = svgPen{}
		return
	}
	ps := strings.Split(params, ";")
	for i := 0; i < len(ps); i++ {
		switch ps[i] {
		case "0":
			*p = svgPen{}
		case "1":
			p.bold = true
		case "2":
			p.faint = true
		case "3":
			p.italic = true
		case "4":
			p.under = true
		case "7":
			p.rev = true
		case "38", "48":
			var rgb [3]int
			for k := range rgb {
				rgb[k], _ = strconv.Atoi(ps[i+2+k])
			}
			c := fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2])
			if ps[i] == "38" {
				p.fg = c
			} else {
				p.bg = c
			}
			i += 4
		}
	}
}

func (p svgPen) colours() (fg, bg string) {
	fg, bg = p.fg, p.bg
	if fg == "" {
		fg = ink
	}
	if p.rev {
		if bg == "" {
			bg = paper
		}
		fg, bg = bg, fg
	}
	return fg, bg
}

// svg converts a frame of truecolor SGR and text, w cells wide, to SVG.
func svg(frame string, w int) string {
	rows := strings.Split(frame, "\n")
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.1f %.1f" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">`+"\n",
		float64(w)*cellW+16, float64(len(rows))*cellH+16)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", paper)
	for y, row := range rows {
		drawRow(&b, row, 8+float64(y)*cellH)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawRow draws runs of one style, each at its own column, so that a font with other widths
// does not shift them.
func drawRow(b *strings.Builder, row string, top float64) {
	var pen svgPen
	run, runCols, col := "", 0, 0
	flush := func() {
		fg, bg := pen.colours()
		x := 8 + float64(col-runCols)*cellW
		if bg != "" && runCols > 0 {
			fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, top, float64(runCols)*cellW, cellH, bg)
		}
		if strings.TrimSpace(run) != "" {
			attrs := ""
			if pen.bold {
				attrs += ` font-weight="bold"`
			}
			if pen.italic {
				attrs += ` font-style="italic"`
			}
			if pen.under {
				attrs += ` text-decoration="underline"`
			}
			if pen.faint {
				attrs += ` opacity="0.6"`
			}
			escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(run)
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s" textLength="%.1f" xml:space="preserve"%s>%s</text>`+"\n", x, top+13.5, fg, float64(runCols)*cellW, attrs, escaped)
		}
		run, runCols = "", 0
	}
	for row != "" {
		if row[0] == 0x1b {
			end := strings.IndexByte(row, 'm')
			flush()
			pen.sgr(row[2:end])
			row = row[end+1:]
			continue
		}
		cluster, cols := text.Cluster(row)
		run, runCols, col = run+cluster, runCols+cols, col+cols
		row = row[len(cluster):]
	}
	flush()
}

// picturedNow is the time of the pictures.
var picturedNow = time.Date(2026, 11, 21, 15, 30, 0, 0, time.UTC)

// pictured opens the demo's store at that time.
func pictured(t *testing.T) *sim {
	s, _ := picturedHome(t)
	return s
}

func picturedHome(t *testing.T) (*sim, *engine.Trail) {
	now := demo.NewClock(func() time.Time { return picturedNow })
	trail, err := engine.Open(t.Context(), t.TempDir(), versions.Options{Now: now.Now})
	if err != nil {
		t.Fatal(err)
	}
	info, err := demo.Make(t.Context(), trail, now)
	if err != nil {
		t.Fatal(err)
	}
	store, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close(); trail.Close() })
	return newSim(t, newFake(), 110, 30, func(c *Config) {
		c.Store, c.Now = local.Store{Store: store}, func() time.Time { return picturedNow }
		c.By = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "mira"}, Session: "sesn_mira"}
	}), trail
}

// pictures are the pictures in the README: one overview, and one for each main feature.
var pictures = []struct {
	name string
	play func(*sim)
}{
	{"screen", func(s *sim) {
		s.send(screen.Open{Path: at("support/refunds.md")})
		s.keys("H")
	}},
	{"review", func(s *sim) {
		s.send(screen.Open{Path: at("support/refunds.md")})
		s.keys("m B j j")
	}},
	{"watch", watchAnAgent},
	{"rollback", func(s *sim) {
		s.send(screen.Open{Path: at("support/refunds.md")})
		s.keys("H t")
	}},
}

// watchAnAgent shows an agent's conversation and follows its changes.
func watchAnAgent(s *sim) {
	store, trail := s.app.cfg.Store.(local.Store).Store, "/memories/support/"
	agent := &recordedSession{workingTalk: &workingTalk{id: "sesn_help_sun"}}
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "support-agent"}}
	var events []versions.Event
	does := func(id string, c memfs.Command, path string) {
		change, err := agent.calls(store, by, id, c, path)
		if err != nil {
			s.t.Fatal(err)
		}
		if change.Number > 0 {
			events = append(events, versions.Event{Changes: []versions.Change{change}})
		}
	}
	agent.addEvents(talking.Event{Kind: talking.Started}, talking.Event{Kind: talking.Prompted, Text: "There is a strike in Lyon. What does support need to know?"},
		talking.Event{Kind: talking.Sent, Turn: 1, Window: 200_000, Tokens: 31_000},
		recorded(map[string]any{"type": "thinking", "thinking": "Shipping times stand in a table. Labels for Corsica go by Lyon, too.", "signature": "c2ln"}))
	does("toolu_1", memfs.View{Path: trail + "shipping-delays.md"}, trail+"shipping-delays.md")
	cleared := []talking.AppliedEdit{{Type: talking.ClearToolUses, ToolUses: 1, InputTokens: 940}}
	agent.addEvents(talking.Event{Kind: talking.Replied, Stop: "tool_use", Usage: &talking.Usage{Input: 31_200, Output: 90}, Applied: cleared},
		talking.Event{Kind: talking.Sent, Turn: 2, Window: 200_000, Tokens: 31_900})
	does("toolu_2", memfs.Insert{Path: trail + "known-issues.md", InsertLine: 4, InsertText: "- no labels for Corsica since Friday"}, trail+"known-issues.md")
	does("toolu_3", memfs.StrReplace{Path: trail + "shipping-delays.md", OldStr: "| EU | 3 to 5 days |", NewStr: "| EU | 4 to 6 days (strike in Lyon) |"}, trail+"shipping-delays.md")
	agent.addEvents(talking.Event{Kind: talking.Replied, Stop: "tool_use", Usage: &talking.Usage{Input: 32_000, Output: 120}, Applied: cleared},
		talking.Event{Kind: talking.Idle, Reason: "end_turn"})
	// The ledger is written in the background; the picture shows the read.
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		list, _, err := history.Sessions(context.Background(), store, versions.SessionFilter{ID: agent.id}, "", 1)
		if err != nil || len(list) == 1 && list[0].Reads > 0 {
			break
		}
	}
	s.app.cfg.Agents = recordedManager{agent}
	s.app.live.SetFollowing(true)
	s.keys("A")
	for _, e := range events {
		s.happens(e)
	}
	s.keys("h g g j l")
}

func TestPictures_ShowWhatTheProgramShows(t *testing.T) {
	t.Parallel()
	for _, picture := range pictures {
		s := pictured(t)
		picture.play(s)
		got, file := svg(s.app.View(), 110), "testdata/"+picture.name+".svg"
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Log(s.screen())
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != got {
			t.Errorf("%s is not what the program shows now: -update draws it anew", file)
		}
	}
}
