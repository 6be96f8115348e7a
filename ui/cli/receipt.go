package cli

import (
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/redact"
)

// This file prints plans and receipts of redactions.

type plannedJSON struct {
	versionJSON
	StoreID string `json:"memory_store_id"`
	Current bool   `json:"current"` // it is the current version of its memory
}

type redactionJSON struct {
	Erase      []plannedJSON        `json:"erase"`
	Kept       []plannedJSON        `json:"kept"` // other versions with the same content, which are not redacted
	Places     []versions.TextPlace `json:"places,omitempty"`
	Unreadable int                  `json:"unreadable,omitempty"`
}

func plannedOf(vs []versions.PlannedVersion) []plannedJSON {
	out := []plannedJSON{}
	for _, v := range vs {
		out = append(out, plannedJSON{uncounted(versionOf(v.Version)), string(v.StoreID), v.Current})
	}
	return out
}

// printRedactPlan shows what a redaction would do. With --json it is printed only for --dry-run: the
// output of a redaction is its receipt.
func printRedactPlan(p *console, plan redact.Plan, r redaction) {
	if p.json {
		if r.dryRun {
			p.emit(redactionJSON{plannedOf(plan.Erase), plannedOf(plan.Kept), plan.Places, plan.Unreadable})
		}
		return
	}
	places := "to be erased or masked as well:"
	switch {
	case plan.Empty():
		p.println("nothing to redact")
	case len(plan.Erase) == 0:
		places = "to be erased or masked:"
	case r.dryRun:
		p.println("would erase %s:", plural(len(plan.Erase), "version"))
	default:
		p.println("to be erased: %s", plural(len(plan.Erase), "version"))
	}
	printPlanned(p, plan.Erase)
	printPlaces(p, places, plan.Places, false)
	printPlaces(p, "contain it, but can't be changed by a redaction:", plan.Places, true)
	if len(plan.Kept) > 0 {
		p.println("not included, with the same content: %s", plural(len(plan.Kept), "version"))
		printPlanned(p, plan.Kept)
	}
	if plan.Unreadable > 0 {
		p.println("%s could not be read; `memend check` shows more", plural(plan.Unreadable, "damaged content"))
	}
}

// printPlaces lists the places besides versions that contain a text.
func printPlaces(p *console, title string, places []versions.TextPlace, stay bool) {
	for _, place := range places {
		if place.Stays != stay {
			continue
		}
		if title != "" {
			p.println("%s", title)
			title = ""
		}
		p.println("  %s", p.safe(place.String()))
	}
}

// maxPlanned is how many versions of a plan are listed.
const maxPlanned = 20

func printPlanned(p *console, vs []versions.PlannedVersion) {
	for i, v := range vs {
		if i == maxPlanned {
			p.println("  … and %d more", len(vs)-i)
			return
		}
		current := ""
		if v.Current {
			current = "  [current]"
		}
		p.println("  %s  %s by %s  %s:%s@%d%s", v.ID, when(v.Time), p.safe(actors.Name(v.Actor)), p.safe(v.Store), p.safe(v.Path.Tool()), v.Number, current)
	}
}

type receiptJSON struct {
	versions.Receipt
	By   versions.Actor `json:"redacted_by"`
	Time stamp          `json:"redacted_at"`
	Not  string         `json:"not_searched"`
}

func receiptOf(r versions.Receipt) receiptJSON {
	return receiptJSON{r, r.By, stamp(r.Time), versions.Beyond}
}

// reportReceipt prints what was erased and what the search found. The redaction succeeded only if
// nothing was found.
func reportReceipt(p *console, r versions.Receipt) error {
	if p.json {
		p.emit(receiptOf(r))
	} else {
		for _, line := range wording.Receipt(r) {
			lead := ""
			if line.Tone == wording.Listed {
				lead = "  "
			}
			p.println("%s%s", lead, p.safe(line.Text))
		}
	}
	if r.Outcome != versions.OutcomeGone {
		return errReported
	}
	return nil
}
