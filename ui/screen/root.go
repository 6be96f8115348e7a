package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Root performs the requests of panes. A pane sends them with Env.Do; the result of a command may be one too.
type Root interface {
	// The frame.
	Open(Open) tea.Cmd
	Show(p Pane) tea.Cmd
	Back() tea.Cmd
	Drop(p Pane) tea.Cmd
	InFront(p Pane) bool
	Terminal(do tea.Cmd) tea.Cmd
	Notice(Notice) tea.Cmd
	Prompt(Prompt) tea.Cmd
	Choose(Choose) tea.Cmd
	Work(Work) tea.Cmd
	Copy(Copy) tea.Cmd
	FocusTree() tea.Cmd
	FocusMemory() tea.Cmd
	Cycle(by int) tea.Cmd

	// Screens.
	Search(Search) tea.Cmd
	OpenStore(OpenStore) tea.Cmd
	History(History) tea.Cmd
	ShowChange(change int64) tea.Cmd
	Timeline(change int64) tea.Cmd
	Trace(Trace) tea.Cmd
	Blame(Blame) tea.Cmd
	Conversation(Conversation) tea.Cmd
	Queue(Queue) tea.Cmd
	Compare(Compare) tea.Cmd

	// Changes of the store.
	Create(p memfs.Path) tea.Cmd
	NewMemory(folder memfs.Path) tea.Cmd
	Edit(Edit) tea.Cmd
	External(External) tea.Cmd
	Pager(p memfs.Path) tea.Cmd
	Rename(p memfs.Path) tea.Cmd
	Move(Move) tea.Cmd
	Delete(paths []memfs.Path) tea.Cmd
	Transfer(paths []memfs.Path) tea.Cmd
	Duplicate(Duplicate) tea.Cmd
	Act(Act) tea.Cmd
	Did(Did) tea.Cmd
	Undo(change int64) tea.Cmd
	Redo(change int64) tea.Cmd
	UndoSession(session versions.SessionID) tea.Cmd
	UndoSessionOf(v versions.VersionID) tea.Cmd
	UndoChanges(UndoChanges) tea.Cmd
	Restore(v versions.Version) tea.Cmd
	AskRestore(AskRestore) tea.Cmd
	RestoreAt(RestoreAt) tea.Cmd
	RestoreSeveral(RestoreSeveral) tea.Cmd
	Redact(Redact) tea.Cmd
	RedactVersions(vs []versions.VersionID) tea.Cmd
	Merge(Merge) tea.Cmd
	CopyDiff(v versions.VersionID) tea.Cmd
	Sync(Sync) tea.Cmd

	// Review, and who may do what.
	MarkReviewed(MarkReviewed) tea.Cmd
	MarkAllReviewed() tea.Cmd
	Moved(from, to memfs.Path) tea.Cmd
	ReviewNext(by int) tea.Cmd
	Reviewed() tea.Cmd
	Policy(session versions.SessionID) tea.Cmd
	Pin(Pin) tea.Cmd
	Unpin(p memfs.Path) tea.Cmd
	ReviewChanged() tea.Cmd
	Decided() tea.Cmd

	// What is seen of others.
	Follow() tea.Cmd
	Followed() tea.Cmd
	Refresh() tea.Cmd
	StoreEvent(e versions.Event) tea.Cmd
	StoreProblem(err error) tea.Cmd
	Grown(session versions.SessionID) tea.Cmd
	Now(t time.Time) tea.Cmd
}

// Request is what a pane asks of the root. Perform calls the method of the root that performs it.
type Request interface{ Perform(Root) tea.Cmd }

func (r Open) Perform(root Root) tea.Cmd      { return root.Open(r) }
func (r Show) Perform(root Root) tea.Cmd      { return root.Show(r.Pane) }
func (Back) Perform(root Root) tea.Cmd        { return root.Back() }
func (r Drop) Perform(root Root) tea.Cmd      { return root.Drop(r.Pane) }
func (r Terminal) Perform(root Root) tea.Cmd  { return root.Terminal(r.Do) }
func (r Notice) Perform(root Root) tea.Cmd    { return root.Notice(r) }
func (r Prompt) Perform(root Root) tea.Cmd    { return root.Prompt(r) }
func (r Choose) Perform(root Root) tea.Cmd    { return root.Choose(r) }
func (r Work) Perform(root Root) tea.Cmd      { return root.Work(r) }
func (r Copy) Perform(root Root) tea.Cmd      { return root.Copy(r) }
func (FocusTree) Perform(root Root) tea.Cmd   { return root.FocusTree() }
func (FocusMemory) Perform(root Root) tea.Cmd { return root.FocusMemory() }
func (r Cycle) Perform(root Root) tea.Cmd     { return root.Cycle(r.By) }

func (r Search) Perform(root Root) tea.Cmd       { return root.Search(r) }
func (r OpenStore) Perform(root Root) tea.Cmd    { return root.OpenStore(r) }
func (r History) Perform(root Root) tea.Cmd      { return root.History(r) }
func (r ShowChange) Perform(root Root) tea.Cmd   { return root.ShowChange(r.Change) }
func (r Timeline) Perform(root Root) tea.Cmd     { return root.Timeline(r.Change) }
func (r Trace) Perform(root Root) tea.Cmd        { return root.Trace(r) }
func (r Blame) Perform(root Root) tea.Cmd        { return root.Blame(r) }
func (r Conversation) Perform(root Root) tea.Cmd { return root.Conversation(r) }
func (r Queue) Perform(root Root) tea.Cmd        { return root.Queue(r) }
func (r Compare) Perform(root Root) tea.Cmd      { return root.Compare(r) }

func (r Create) Perform(root Root) tea.Cmd         { return root.Create(r.Path) }
func (r NewMemory) Perform(root Root) tea.Cmd      { return root.NewMemory(r.Folder) }
func (r Edit) Perform(root Root) tea.Cmd           { return root.Edit(r) }
func (r External) Perform(root Root) tea.Cmd       { return root.External(r) }
func (r Pager) Perform(root Root) tea.Cmd          { return root.Pager(r.Path) }
func (r Rename) Perform(root Root) tea.Cmd         { return root.Rename(r.Path) }
func (r Move) Perform(root Root) tea.Cmd           { return root.Move(r) }
func (r Delete) Perform(root Root) tea.Cmd         { return root.Delete(r.Paths) }
func (r Transfer) Perform(root Root) tea.Cmd       { return root.Transfer(r.Paths) }
func (r Duplicate) Perform(root Root) tea.Cmd      { return root.Duplicate(r) }
func (r Act) Perform(root Root) tea.Cmd            { return root.Act(r) }
func (r Did) Perform(root Root) tea.Cmd            { return root.Did(r) }
func (r Undo) Perform(root Root) tea.Cmd           { return root.Undo(r.Change) }
func (r Redo) Perform(root Root) tea.Cmd           { return root.Redo(r.Change) }
func (r UndoSession) Perform(root Root) tea.Cmd    { return root.UndoSession(r.Session) }
func (r UndoSessionOf) Perform(root Root) tea.Cmd  { return root.UndoSessionOf(r.Version) }
func (r UndoChanges) Perform(root Root) tea.Cmd    { return root.UndoChanges(r) }
func (r Restore) Perform(root Root) tea.Cmd        { return root.Restore(r.Version) }
func (r AskRestore) Perform(root Root) tea.Cmd     { return root.AskRestore(r) }
func (r RestoreAt) Perform(root Root) tea.Cmd      { return root.RestoreAt(r) }
func (r RestoreSeveral) Perform(root Root) tea.Cmd { return root.RestoreSeveral(r) }
func (r Redact) Perform(root Root) tea.Cmd         { return root.Redact(r) }
func (r RedactVersions) Perform(root Root) tea.Cmd { return root.RedactVersions(r.Versions) }
func (r Merge) Perform(root Root) tea.Cmd          { return root.Merge(r) }
func (r CopyDiff) Perform(root Root) tea.Cmd       { return root.CopyDiff(r.Version) }
func (r Sync) Perform(root Root) tea.Cmd           { return root.Sync(r) }

func (r MarkReviewed) Perform(root Root) tea.Cmd  { return root.MarkReviewed(r) }
func (MarkAllReviewed) Perform(root Root) tea.Cmd { return root.MarkAllReviewed() }
func (r Moved) Perform(root Root) tea.Cmd         { return root.Moved(r.From, r.To) }
func (r ReviewNext) Perform(root Root) tea.Cmd    { return root.ReviewNext(r.By) }
func (Reviewed) Perform(root Root) tea.Cmd        { return root.Reviewed() }
func (r Policy) Perform(root Root) tea.Cmd        { return root.Policy(r.Session) }
func (r Pin) Perform(root Root) tea.Cmd           { return root.Pin(r) }
func (r Unpin) Perform(root Root) tea.Cmd         { return root.Unpin(r.Path) }
func (ReviewChanged) Perform(root Root) tea.Cmd   { return root.ReviewChanged() }
func (Decided) Perform(root Root) tea.Cmd         { return root.Decided() }

func (Follow) Perform(root Root) tea.Cmd         { return root.Follow() }
func (Followed) Perform(root Root) tea.Cmd       { return root.Followed() }
func (Refresh) Perform(root Root) tea.Cmd        { return root.Refresh() }
func (r StoreEvent) Perform(root Root) tea.Cmd   { return root.StoreEvent(r.Event) }
func (r StoreProblem) Perform(root Root) tea.Cmd { return root.StoreProblem(r.Err) }
func (r Grown) Perform(root Root) tea.Cmd        { return root.Grown(r.Session) }
func (r Now) Perform(root Root) tea.Cmd          { return root.Now(r.Time) }

func (r Late) Perform(root Root) tea.Cmd {
	switch {
	case root.InFront(r.From):
		return r.Request.Perform(root)
	case r.Else != "":
		return root.Notice(Notice{Text: r.Else, Bad: true})
	}
	return nil
}
