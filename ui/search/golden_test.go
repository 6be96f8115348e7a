package search

import (
	"flag"
	"fmt"
	"testing"

	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/screen/testdata/screentest"
)

var update = flag.Bool("update", false, "write the golden frames anew")

func TestFrames_MatchGoldens(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {40, 12}} {
		for _, scene := range []struct {
			name string
			play func(s *screentest.Sim[*Pane])
		}{
			{"hits", func(s *screentest.Sim[*Pane]) { s.Typed("may"); s.Keys("down") }},
			{"nothing", func(s *screentest.Sim[*Pane]) { s.Typed("nowhere to be found") }},
			{"versions", func(s *screentest.Sim[*Pane]) { s.Typed("april"); s.Keys("tab") }},
			{"replace", func(s *screentest.Sim[*Pane]) { s.Typed("may"); s.Keys("ctrl+r"); s.Typed("June"); s.Keys("down down") }},
		} {
			s := newSim(t, size[0], size[1])
			scene.play(s)
			drawtest.Golden(t, *update, fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1]), s.Pane.View())
		}
	}
}
