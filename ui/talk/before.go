package talk

import (
	"cmp"
	"context"
	"strings"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/versions"
)

// Before returns what the agent said right before a call, and the call in a few words. Both are empty if the conversation does not
// have the call.
func Before(ctx context.Context, kept Recorded, id versions.SessionID, call string) (words, did string, err error) {
	said, end := "", true // end: the next words begin anew
	for at := int64(0); ctx.Err() == nil; {
		objects, next, err := kept.Read(id, at)
		if err != nil || next == at {
			return "", "", err
		}
		at = next
		for _, ev := range eventsOf(objects) {
			block := ev.Block
			switch {
			case ev.Kind == agent.BlockEnded && block != nil && block.Type == agent.TypeText:
				if end {
					said, end = "", false
				}
				said = strings.TrimSpace(said + "\n" + block.Text)
			case ev.ToolUse == call && (ev.Kind == agent.Calling || ev.Kind == agent.Answered):
				return said, strings.TrimSpace(cmp.Or(ev.Command, ev.Tool) + " " + ev.Path), nil
			case ev.Kind == agent.Prompted:
				said, end = "", true
			case ev.Kind == agent.Answered: // what is said for the next call; until then the words stand for several calls in a row
				end = true
			}
		}
	}
	return "", "", ctx.Err()
}

// seek goes to the call that the view is opened at, and reads older pages until it is found.
func (v *View) seek() {
	if v.c.Call == "" {
		return
	}
	for i, it := range v.blocks.items {
		if it.call == nil || it.call.id != v.c.Call {
			continue
		}
		v.c.Call = ""
		v.draw()
		v.blocks.goTo(max(i-2, 0)) // what was said before it is in the window, too
		v.blocks.goTo(i)
		return
	}
	v.blocks.goTo(0) // the older page is read when the window comes near the first block
	if v.start == 0 {
		v.c.Call = ""
		v.blocks.toEnd()
	}
}
