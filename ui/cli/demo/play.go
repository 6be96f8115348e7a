package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/versions"
)

// Banner is what the screens say while Play writes.
const Banner = "demo · a scripted agent is writing"

// Play goes on writing as an agent that works through tickets, an act every
// second or two, until ctx ends. It touches nothing outside the folder live, and
// whatever somebody else does there, it goes on.
func Play(ctx context.Context, s *versions.Store) error {
	by := agent("scripted-agent", "sesn_scripted")
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause(n)):
		}
		by.Turn, by.ToolUse = n+1, fmt.Sprintf("toolu_live%05d", n)
		if _, _, err := s.Tool(ctx, by, act(n), memfs.Options{}); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// pause before an act: a second or two, not always the same.
func pause(n int) time.Duration {
	return 1100*time.Millisecond + time.Duration(n*37%10)*100*time.Millisecond
}

const (
	shiftLog = "/memories/live/shift-log.md"
	keptDone = 4  // tickets that stay in live/done
	logTurns = 25 // tickets after which the log is begun anew

	stepsOfTicket = 13
)

// act is the nth thing the scripted agent does.
func act(n int) memfs.Command {
	ticket, step := n/stepsOfTicket, n%stepsOfTicket
	t := tickets[ticket%len(tickets)]
	number := 4812 + ticket
	path := fmt.Sprintf("/memories/live/ticket-%d.md", number)
	switch step {
	case 0:
		return memfs.View{Path: "/memories/live"}
	case 1:
		return memfs.Create{Path: path, FileText: fmt.Sprintf("# %d: %s\n\nStatus: open\nCustomer: %s\n\n## Notes\n", number, t.title, t.customer)}
	case 2:
		return memfs.Insert{Path: path, InsertLine: 6, InsertText: "- " + t.first}
	case 3:
		return memfs.View{Path: path}
	case 4:
		if ticket%logTurns == 0 {
			return memfs.Create{Path: shiftLog, FileText: "# Shift log\n\nNewest first.\n\n"}
		}
		return memfs.View{Path: shiftLog}
	case 5:
		return memfs.StrReplace{Path: path, OldStr: "Status: open", NewStr: "Status: waiting for the customer"}
	case 6:
		return memfs.View{Path: path}
	case 7:
		return memfs.Insert{Path: path, InsertLine: 7, InsertText: "- " + t.second}
	case 8:
		return memfs.StrReplace{Path: path, OldStr: "Status: waiting for the customer", NewStr: "Status: solved"}
	case 9:
		return memfs.View{Path: shiftLog}
	case 10:
		return memfs.Insert{Path: shiftLog, InsertLine: 4, InsertText: fmt.Sprintf("- %d (%s): %s", number, t.customer, t.solved)}
	case 11:
		return memfs.Rename{OldPath: path, NewPath: fmt.Sprintf("/memories/live/done/ticket-%d.md", number)}
	}
	if ticket%logTurns == logTurns-1 {
		return memfs.Delete{Path: shiftLog}
	}
	return memfs.Delete{Path: fmt.Sprintf("/memories/live/done/ticket-%d.md", number-keptDone)}
}

var tickets = []struct{ title, customer, first, second, solved string }{
	{"parcel says delivered, nobody has it", "Noor Haddad", "carrier's photo shows a green door, hers is red", "neighbour at no. 14 had it", "parcel was at no. 14"},
	{"invoice shows the old address", "Blue Kite Studio", "moved on the 3rd, told billing, not us", "address changed in both systems; new invoice sent", "billing and shop keep addresses apart: ask for both"},
	{"cannot log in after the update", "J. Lindqvist", "password manager fills the old domain", "works after the bookmark was changed", "old bookmark, not our bug"},
	{"wants a refund for tea that arrived open", "花茶屋 Hana", "photo attached, seal broken, order of last week 🍵", "refunded 38 €, below the limit", "refund, 38 €"},
	{"API answers 429 at night", "Acme GmbH", "their job starts 40 workers at 02:00", "agreed on 8 workers and backoff", "limit stays, their job is slower now"},
}
