package talk

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/memend/memend/agent"
)

// transcript is a part of a conversation as blocks. It is built from events alone.
type transcript struct {
	items []*item
	bytes int // approximate size in memory

	open  map[int]*item    // of the current turn, by their index in the reply
	calls map[string]*item // by the id of the tool_use

	compact *item          // the running one
	retry   *item          // the pending one
	noted   clearing       // the last one that a note described
	failed  *agent.Failure // the last one

	summed int // blocks before the last valid summary: the model sees none of them

	cleared         map[string]bool // tool results that the model does not see
	clearedThinking map[int]bool    // turns whose thinking it does not see
}

func newTranscript() *transcript {
	return &transcript{open: map[int]*item{}, calls: map[string]*item{}}
}

func (t *transcript) add(it *item, ev agent.Event) *item {
	it.turn, it.seq = ev.Turn, ev.Seq
	t.items = append(t.items, it)
	t.bytes += it.size()
	return it
}

// take adds an event.
func (t *transcript) take(ev agent.Event) {
	switch ev.Kind {
	case agent.Started:
		t.note(ev, normal, startedNote(ev), "")
	case agent.Resumed:
		t.note(ev, normal, "resumed", "")
	case agent.Prompted:
		t.add(&item{kind: promptItem, body: newFlow(true, ev.Text)}, ev)
	case agent.Sent:
		t.dropOpen()
	case agent.BlockBegan:
		t.endRetry()
		t.block(ev)
	case agent.Added:
		if it := t.block(ev); it != nil {
			t.grow(it, ev)
		}
	case agent.BlockEnded:
		t.endRetry()
		t.ended(ev)
	case agent.Answered:
		t.answered(ev)
	case agent.Calling:
		t.calling(ev)
	case agent.Changed:
		if it := t.calls[ev.ToolUse]; it != nil && ev.Change > 0 {
			it.call.change, it.call.store, it.call.plus, it.call.minus = ev.Change, ev.Store, ev.Plus, ev.Minus
		}
	case agent.Replied:
		t.replied(ev)
	case agent.Retrying:
		t.discardTurn()
		t.endRetry()
		t.retrying(ev)
	case agent.Broken:
		t.endRetry()
		t.broken(ev)
	case agent.Compacting:
		if ev.Compacted != nil {
			t.compact = t.add(&item{kind: compactItem, open: true, sum: *ev.Compacted}, ev)
		}
	case agent.CompactedNow:
		t.compacted(ev)
	case agent.Idle:
		t.endRetry()
		t.open = map[int]*item{}
		if s, hint := idleNote(ev.Reason); s != "" && !saidBy(t.failed, s) {
			t.note(ev, important, s, hint)
		}
	case agent.Ended:
		t.dropOpen()
		t.note(ev, normal, "the session ended", "")
	}
}

func (t *transcript) note(ev agent.Event, tone tone, s, hint string) {
	t.add(&item{kind: noteItem, tone: tone, note: s, hint: hint}, ev)
}

// block returns the block of an event in the current turn, and creates it if it is new.
func (t *transcript) block(ev agent.Event) *item {
	if it := t.open[ev.Index]; it != nil {
		if ev.ToolUse != "" && it.call != nil && it.call.id == "" {
			it.call.id = ev.ToolUse
		}
		return it
	}
	it := &item{open: true}
	switch ev.Type {
	case agent.TypeText:
		it.kind, it.body = textItem, newFlow(false, "")
	case agent.TypeThinking, agent.TypeRedactedThinking:
		it.kind, it.body = thinkingItem, newFlow(true, "")
	case agent.TypeToolUse:
		it.kind, it.call = callItem, &call{id: ev.ToolUse, tool: ev.Tool}
		if ev.ToolUse != "" {
			t.calls[ev.ToolUse] = it
		}
	default:
		return nil // a compaction is added by its CompactedNow event, others once they are complete
	}
	if it.body != nil {
		it.body.open = true
	}
	t.open[ev.Index] = it
	return t.add(it, ev)
}

func (t *transcript) grow(it *item, ev agent.Event) {
	was := it.size()
	switch {
	case it.call != nil:
		it.call.input = append(it.call.input, ev.Text...)
		it.call.guess()
	case it.body != nil:
		it.body.add(ev.Text)
	}
	t.bytes += it.size() - was
}

// ended completes a block.
func (t *transcript) ended(ev agent.Event) {
	b := ev.Block
	if b == nil {
		return
	}
	if ev.Type == "" {
		ev.Type = b.Type
	}
	if b.Type == agent.TypeToolUse {
		ev.ToolUse, ev.Tool = b.ID, b.Name
	}
	it := t.block(ev)
	if it == nil {
		if b.Type != agent.TypeCompaction && b.Type != agent.TypeToolResult {
			t.note(ev, normal, "a block of type "+b.Type, "")
		}
		return
	}
	was := it.size()
	it.close()
	switch {
	case it.call != nil:
		it.call.id, it.call.tool, it.call.input = b.ID, b.Name, nil
		t.calls[b.ID] = it
		it.call.read(b.Input)
	case it.body.bytes != len(b.Text): // only a part was streamed, or nothing
		it.body = newFlow(it.kind == thinkingItem, b.Text)
	}
	t.bytes += it.size() - was
}

// calling marks a call as running.
func (t *transcript) calling(ev agent.Event) {
	if it := t.calls[ev.ToolUse]; it != nil && !it.call.done {
		it.call.running = true
		it.call.command, it.call.path, it.call.from = ev.Command, ev.Path, ev.From
	}
}

// answered adds the result of a call.
func (t *transcript) answered(ev agent.Event) {
	it := t.calls[ev.ToolUse]
	if it == nil { // the call is in an older page
		it = &item{kind: callItem, call: &call{id: ev.ToolUse, tool: ev.Tool}}
		t.calls[ev.ToolUse] = it
		t.add(it, ev)
	}
	was := it.size()
	c := it.call
	c.done, c.failed, c.store, c.change = true, ev.IsError, ev.Store, ev.Change
	c.held = heldIn(ev)
	if ev.Command != "" {
		c.command = ev.Command
	}
	if ev.Path != "" {
		c.path, c.from = ev.Path, ev.From
	}
	it.open = false
	it.body = newFlow(true, ev.Text)
	t.bytes += it.size() - was
}

// heldIn returns the number under which a call is held for review, or 0. The text of a failed call is that of
// the engine; a path in it comes before the number.
func heldIn(ev agent.Event) (n int64) {
	i := strings.LastIndex(ev.Text, heldAs)
	if !ev.IsError || ev.Command == "view" || i < 0 {
		return 0
	}
	for _, c := range ev.Text[i+len(heldAs):] {
		if c < '0' || c > '9' || n > 1<<50 {
			break
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// heldAs is how versions.HeldError begins, after the path.
const heldAs = "held for review as #"

// replied completes a turn.
func (t *transcript) replied(ev agent.Event) {
	t.endRetry()
	for _, it := range t.open {
		it.close()
	}
	t.open = map[int]*item{}
	now := clearingOf(ev.Applied)
	if s := now.note(t.noted); s != "" {
		t.note(ev, edited, s, "")
		t.noted = now
	}
	if s, hint := stopNote(ev.Stop); s != "" {
		if ev.Explained != "" {
			s += ": " + ev.Explained
		}
		t.note(ev, problem, s, hint)
	}
}

// dropOpen removes the unfinished blocks of a turn, because they are not sent back to the
// model. Text is kept as far as it came, as the model keeps it too.
func (t *transcript) dropOpen() {
	for _, it := range t.open {
		if it.open && (it.kind != textItem || it.body.bytes == 0) {
			t.remove(it)
		}
		it.close()
	}
	t.open = map[int]*item{}
}

func (t *transcript) remove(it *item) {
	for i := len(t.items) - 1; i >= 0; i-- {
		if t.items[i] == it {
			t.items = append(t.items[:i:i], t.items[i+1:]...)
			t.bytes -= it.size()
			if i < t.summed {
				t.summed--
			}
			break
		}
	}
	if it.call != nil {
		delete(t.calls, it.call.id)
	}
}

// broken handles a turn that failed or was stopped.
func (t *transcript) broken(ev agent.Event) {
	t.dropOpen()
	if t.compact != nil {
		t.remove(t.compact)
		t.compact = nil
	}
	if n := len(t.items); ev.Text != "" && (n == 0 || t.items[n-1].kind != textItem || t.items[n-1].turn != ev.Turn) { // it was not streamed
		t.add(&item{kind: textItem, body: newFlow(false, ev.Text)}, ev)
	}
	t.failed = ev.Failure
	s, hint, tone := brokenNote(ev.Failure)
	t.note(ev, tone, s, hint)
}

// discardTurn removes all blocks of a turn that is requested again.
func (t *transcript) discardTurn() {
	for _, it := range t.open {
		t.remove(it)
	}
	t.open = map[int]*item{}
}

// retrying adds a note that a turn will be retried; attempts with the same error share a note.
func (t *transcript) retrying(ev agent.Event) {
	note := failureText(ev.Failure)
	if n := len(t.items); n > 0 && t.items[n-1].tries > 0 && t.items[n-1].note == note {
		t.retry = t.items[n-1]
	} else {
		t.retry = t.add(&item{kind: noteItem, note: note}, ev)
	}
	t.retry.tries++
	t.retry.tone, t.retry.retried, t.retry.retry = important, false, ev.Time.Add(time.Duration(ev.Wait))
}

// endRetry marks the pending retry as started.
func (t *transcript) endRetry() {
	if t.retry == nil {
		return
	}
	t.retry.retried, t.retry.tone = true, normal
	t.retry = nil
}

// untagged returns a summary without the tags that the model was asked to put around it.
func untagged(s string) string {
	in, ok := strings.CutPrefix(strings.TrimSpace(s), "<summary>")
	if in, tagged := strings.CutSuffix(in, "</summary>"); ok && tagged {
		return strings.TrimSpace(in)
	}
	return s
}

// compacted handles the end of a compaction: a summary replaces everything before it.
func (t *transcript) compacted(ev agent.Event) {
	if ev.Compacted == nil {
		return
	}
	it := t.compact
	if it == nil {
		it = t.add(&item{kind: compactItem}, ev)
	}
	t.compact = nil
	was, before := it.size(), it.sum.Before
	it.open, it.sum, it.inReply = false, *ev.Compacted, ev.Compacted.InReply
	if ev.Failure != nil {
		it.note = failureText(ev.Failure)
	}
	if it.sum.Before == 0 {
		it.sum.Before = before
	}
	it.body = newFlow(false, untagged(ev.Compacted.Summary))
	t.bytes += it.size() - was
	t.findSummary()
	t.noted = clearing{}
}

// findSummary finds the last summary.
func (t *transcript) findSummary() {
	t.summed = 0
	for i := len(t.items) - 1; i >= 0; i-- {
		it := t.items[i]
		if it.kind != compactItem || it.open || it.note != "" {
			continue
		}
		for it.inReply && i > 0 && t.items[i-1].turn == it.turn { // the reply continues after it
			i--
		}
		t.summed = i
		return
	}
}

// guess reads the command and the path of an input that is still being received.
func (c *call) guess() {
	if c.command == "" {
		c.command = stringIn(c.input, `"command"`)
	}
	if c.path == "" {
		c.path = stringIn(c.input, `"path"`)
	}
}

// stringIn returns the string value of a key in a truncated JSON object; it is empty while the
// value is incomplete. It is used for display only.
func stringIn(b []byte, key string) string {
	const most = 4 << 10 // the key is near the beginning
	s := string(b[:min(len(b), most)])
	_, after, ok := strings.Cut(s, key)
	if !ok {
		return ""
	}
	after = strings.TrimLeft(after, " \t\r\n")
	after, ok = strings.CutPrefix(after, ":")
	if !ok {
		return ""
	}
	var out string
	d := json.NewDecoder(strings.NewReader(after))
	if d.Decode(&out) != nil {
		return ""
	}
	return out
}

// read reads the complete input of a call.
func (c *call) read(input json.RawMessage) {
	var f struct {
		Command, Path string
		OldPath       string `json:"old_path"`
		NewPath       string `json:"new_path"`
	}
	if json.Unmarshal(input, &f) != nil {
		return
	}
	c.command, c.path = f.Command, f.Path
	if f.NewPath != "" {
		c.path, c.from = f.NewPath, f.OldPath
	}
}

// older prepends a page of older blocks and connects their calls with results that came later.
// It returns by how much the existing blocks moved.
func (t *transcript) older(o *transcript) (moved int) {
	held := len(t.items)
	for _, it := range o.items {
		if it.call == nil || it.call.done {
			continue
		}
		late := t.calls[it.call.id]
		if late == nil {
			continue
		}
		was := it.size()
		it.body, it.open = late.body, false
		it.call.done, it.call.failed, it.call.held, it.call.store, it.call.change = true, late.call.failed, late.call.held, late.call.store, late.call.change
		t.remove(late)
		o.bytes += it.size() - was
	}
	for _, it := range o.items {
		it.open = false
	}
	for id, it := range o.calls {
		if t.calls[id] == nil {
			t.calls[id] = it
		}
	}
	n := len(o.items)
	t.items = append(o.items[:n:n], t.items...)
	t.bytes += o.bytes
	t.findSummary()
	return len(t.items) - held
}

// forget drops the first n blocks.
func (t *transcript) forget(n int) {
	for _, it := range t.items[:n] {
		t.bytes -= it.size()
		if it.call != nil {
			delete(t.calls, it.call.id)
		}
	}
	t.items = append([]*item(nil), t.items[n:]...)
	t.summed = max(0, t.summed-n)
}
