package versions

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/ids"
)

// unsound returns the error for an invalid history.
func unsound(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsound, fmt.Sprintf(format, args...))
}

// imported is the state of a memory during an import.
type imported struct {
	row    int64
	number int // of its newest version
	live   bool
	path   memfs.Path // the root while a redaction hides the path

	version, blob int64     // of its newest version
	change        changeRow // the change that made its newest version
}

// record imports one change.
func (im *importer) record(r *Record) error {
	im.number = im.x.nextNumber()
	if r.Number != 0 && r.Number != im.number {
		return unsound("change %d comes where %d should", r.Number, im.number)
	}
	if err := checkWords(r); err != nil {
		return err
	}
	c, err := im.change(r)
	if err != nil {
		return err
	}
	touched, err := im.resolve(r)
	if err != nil {
		return err
	}
	for _, m := range touched { // remove all paths before adding any: memories may have swapped paths
		if m.live && !m.path.IsRoot() {
			im.places.Remove(m.path)
		}
	}
	for i, m := range touched {
		if err := im.apply(c, &r.Versions[i], m); err != nil {
			return err
		}
	}
	im.total.Versions += len(touched)
	return im.x.shareAll(r.Shared, im.number, 0)
}

func (im *importer) change(r *Record) (c changeRow, err error) {
	if r.Undoes < 0 || r.Undoes >= im.number {
		return c, unsound("it undoes change %d, which is not before it", r.Undoes)
	}
	if r.Undoes > 0 {
		im.undoes[im.number] = r.Undoes
	}
	wall := r.Wall
	if wall.IsZero() {
		wall = r.Time
	}
	im.ts = max(r.Time.UnixMicro(), im.ts+1)
	c = changeRow{number: im.number, ts: im.ts}
	seen, door, in := r.By, r.By.Door, r.Inputs
	if r.Kind == KindAdopt {
		door = DoorOutside
	}
	if r.Inferred {
		seen, in = outside, 0
	}
	actor, session, err := im.who(seen)
	if err != nil {
		return c, err
	}
	c.actor = actor
	c.id, err = im.x.Insert(`INSERT INTO change(store,number,kind,path,dest,versions,actor,session,tool_use,turn,ts,wall,undoes,message,email,door,inputs)
		VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		im.s.id, c.number, string(r.Kind), key(r.Path), key(r.To), len(r.Versions), c.actor, session, null(seen.ToolUse), null(seen.Turn), c.ts, wall.UnixMicro(), null(r.Undoes),
		null(strings.TrimRight(r.Message, "\n")), null(r.Email), null(door), null(in))
	im.last = c.id
	if r.Found {
		im.found = c.number
	}
	if err != nil || !r.Inferred {
		return c, err
	}
	if c.actor, session, err = im.who(r.By); err != nil {
		return c, err
	}
	return c, im.x.addAttribution(c.id, c.actor, session, r.By, r.Inputs)
}

// who returns the rows of an actor and its session.
func (im *importer) who(by By) (actor int64, session sql.NullInt64, err error) {
	if actor, err = im.actor(by.Actor); err != nil {
		return actor, session, err
	}
	session, err = im.session(by.Session, actor)
	return actor, session, err
}

func (im *importer) actor(a Actor) (id int64, err error) {
	if id = im.actors[a]; id != 0 {
		return id, nil
	}
	id, err = im.x.actor(a)
	im.actors[a] = id
	return id, err
}

// session returns the row of a session, which lasts from its first change to its last.
func (im *importer) session(s SessionID, actor int64) (id sql.NullInt64, err error) {
	if s == "" {
		return id, nil
	}
	if id.Int64, id.Valid = im.sessions[s]; id.Valid {
		return id, im.x.Exec(`UPDATE session SET seen=max(seen,?) WHERE id=?`, im.ts, id.Int64)
	}
	err = im.x.Row(`INSERT INTO session(uid,actor,started,seen) VALUES(?1,?2,?3,?3) ON CONFLICT(uid) DO UPDATE
		SET started=min(started,?3), seen=max(seen,?3) RETURNING id`, string(s), actor, im.ts).Scan(&id.Int64)
	id.Valid = true
	im.sessions[s] = id.Int64
	return id, err
}

// resolve finds the memories of a change's versions, as they are before the change, and validates
// the versions against them.
func (im *importer) resolve(r *Record) ([]*imported, error) {
	touched := make([]*imported, len(r.Versions))
	seen := make(map[*imported]bool, len(r.Versions))
	for i := range r.Versions {
		v := &r.Versions[i]
		m, err := im.memoryOf(v)
		if err == nil && seen[m] {
			err = unsound("the memory is in it twice")
		}
		if err == nil {
			err = m.allows(v, im.s.dir.Names())
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Path.Tool(), err)
		}
		seen[m] = true
		touched[i] = m
	}
	return touched, nil
}

// memoryOf returns the memory of a version, by its id or by its path.
func (im *importer) memoryOf(v *RecordVersion) (*imported, error) {
	switch v.Operation {
	case Created, Modified, Deleted:
	default:
		return nil, unsound("operation %.20q can't be", v.Operation)
	}
	if v.Memory == "" && v.Operation != Created {
		at := v.Path
		if !v.From.IsRoot() {
			at = v.From
		}
		if m := im.places.At(at); m != nil {
			return m, nil
		}
		return nil, unsound("there is no memory %s to be %s", at.Tool(), v.Operation)
	}
	id := v.Memory
	if id == "" {
		id = MemoryID(ids.Format(ids.MemoryPrefix, ids.New()))
	}
	if m := im.memories[id]; m != nil {
		return m, nil
	}
	uid := ids.Parse(ids.MemoryPrefix, string(id))
	if uid == nil {
		return nil, unsound("%.40q is not the id of a memory", id)
	}
	row, _, err := im.insertFree(uid, `INSERT INTO memory(uid,store) VALUES(?,?) ON CONFLICT(uid) DO NOTHING`, im.s.id)
	if err != nil {
		return nil, err
	}
	m := &imported{row: row}
	im.memories[id] = m
	return m, nil
}

// insertFree inserts a row with an id, or with a new id when the home already uses that one: a
// history may be imported into the home that it came from.
func (im *importer) insertFree(uid []byte, text string, args ...any) (row int64, renamed bool, err error) {
	for ; ; renamed = true {
		r, err := im.x.Result(text, append([]any{uid}, args...)...)
		if err != nil {
			return 0, renamed, err
		}
		if n, err := r.RowsAffected(); err != nil || n > 0 {
			row, _ = r.LastInsertId()
			return row, renamed, err
		}
		uid = ids.New()
	}
}

// allows validates a version against the memory's state before it.
func (m *imported) allows(v *RecordVersion, files memfs.Names) error {
	forgotten := m.number == 0 && v.Operation != Created // it is from a replica whose service had dropped the beginning
	if !forgotten && m.live == (v.Operation == Created) {
		return unsound("%s, but it stands: %v", v.Operation, m.live)
	}
	if !v.Redacted.IsZero() {
		if v.Path != memfs.Root || v.From != memfs.Root || v.SHA256 != (Hash{}) || v.Size != 0 {
			return unsound("redacted, but it still says something")
		}
		return nil
	}
	if v.Path.IsRoot() || (v.Operation == Deleted) != (v.SHA256 == Hash{} && !v.Lost) || !v.From.IsRoot() && v.Operation != Modified || v.From == v.Path {
		return unsound("not a version that can be: path, from or content are missing or too much")
	}
	if v.Path.RunsWhenOpened() {
		return unsound("%s: %v", v.Path.Tool(), memfs.ErrControlFile)
	}
	if !files.Match(v.Path) {
		return unsound("%s: %v", v.Path.Tool(), &memfs.UnnamedError{Names: files})
	}
	before := v.Path
	if !v.From.IsRoot() {
		before = v.From
	}
	if m.live && m.path != before && !m.path.IsRoot() {
		return unsound("the memory stood at %s", m.path.Tool())
	}
	return nil
}

// apply writes a version and makes it the newest of its memory.
func (im *importer) apply(c changeRow, v *RecordVersion, m *imported) error {
	m.number++
	m.live, m.path, m.blob, m.change = v.Operation != Deleted, memfs.Root, 0, c
	if m.live && v.Redacted.IsZero() {
		if other, blocked := im.places.Blocker(v.Path, memfs.Root); blocked {
			return unsound("%s: the memory %s is in the way", v.Path.Tool(), other.Tool())
		}
		im.places.Put(v.Path, m)
		m.path = v.Path
		if err := im.content(v, m); err != nil {
			return fmt.Errorf("%s: %w", v.Path.Tool(), err)
		}
	}
	var path any = key(v.Path)
	redacted, by := null(int64(0)), null(int64(0))
	if !v.Redacted.IsZero() {
		path, redacted = nil, v.Redacted.UnixMicro()
		if v.RedactedBy != (Actor{}) {
			id, err := im.actor(v.RedactedBy)
			if err != nil {
				return err
			}
			by = id
		}
	}
	source, err := im.source(v.Source)
	if err != nil {
		return err
	}
	uid := ids.New()
	if v.ID != "" {
		if uid = ids.Parse(ids.VersionPrefix, string(v.ID)); uid == nil {
			return unsound("%.40q is not the id of a version", v.ID)
		}
	}
	row, renamed, err := im.insertFree(uid, `INSERT INTO version(uid,memory,number,change,op,path,origin,blob,source,redacted,redacted_by) VALUES(?,?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT(uid) DO NOTHING`, m.row, m.number, c.id, string(v.Operation), path, null(key(v.From)), null(m.blob), source, redacted, by)
	if m.version = row; renamed {
		im.renamed[v.ID] = row
	}
	return err
}

// content finds the content of a version among the contents of the same import. A hash alone must
// not give access to a content of another store in this home.
func (im *importer) content(v *RecordVersion, m *imported) error {
	if v.Lost {
		return im.lostContent(v, m)
	}
	var size int64
	err := im.x.Row(`SELECT id,size FROM blob WHERE sha=?`, v.SHA256[:]).Scan(&m.blob, &size)
	if errors.Is(err, sql.ErrNoRows) || err == nil && m.blob <= im.blobsOf && !im.had[m.blob] {
		return unsound("its content %s does not come before it", v.SHA256)
	}
	if err == nil && v.Size != 0 && v.Size != size {
		return unsound("its content has %d bytes, not %d", size, v.Size)
	}
	return err
}

// lostContent gives a version a content that is marked as lost. It does not store the hash, which
// would give access to the content as soon as another store has it.
func (im *importer) lostContent(v *RecordVersion, m *imported) (err error) {
	m.blob, err = im.x.Insert(`INSERT INTO blob(sha,size,enc,data) VALUES(randomblob(16),?,?,x'')`, max(v.Size, 0), blobs.Lost)
	return err
}

// source returns the row of an earlier version, or nil when no version has this id.
func (im *importer) source(id VersionID) (any, error) {
	if id == "" {
		return nil, nil
	}
	if row := im.renamed[id]; row != 0 {
		return row, nil
	}
	var row int64
	err := im.x.Row(`SELECT v.id FROM version v JOIN memory m ON m.id=v.memory WHERE v.uid=? AND m.store=?`, ids.Parse(ids.VersionPrefix, string(id)), im.s.id).Scan(&row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return row, err
}

// maxWordBytes limits the names and ids of other programs.
const maxWordBytes = 1024

// checkWords validates the texts of a record against what the tables can hold.
func checkWords(r *Record) error {
	if !plainWord(string(r.Kind)) {
		return unsound("%.40q is not a kind of change", r.Kind)
	}
	if r.Found && r.Kind != KindAdopt {
		return unsound("its memories can't have been found")
	}
	if r.Inferred && (r.Kind != KindAdopt || r.By.Actor.Kind != Agent) {
		return unsound("its actor can't be inferred")
	}
	actors := []Actor{r.By.Actor}
	for i := range r.Versions {
		if a := r.Versions[i].RedactedBy; a != (Actor{}) {
			actors = append(actors, a)
		}
	}
	for _, a := range actors {
		if !slices.Contains(ActorKinds, a.Kind) {
			return unsound("%.40q is not a kind of actor", a.Kind)
		}
		if !sane(a.Name) {
			return unsound("the actor's name is too long or not UTF-8")
		}
	}
	if !sane(string(r.By.Session)) || !sane(r.By.ToolUse) {
		return unsound("the id of its session or tool call is too long or not UTF-8")
	}
	if len(r.Message) > MaxMessageBytes || !utf8.ValidString(r.Message) || strings.ContainsRune(r.Message, 0) {
		return unsound("its message has more than %d bytes, is not UTF-8 or holds NUL", MaxMessageBytes)
	}
	if len(r.Email) > MaxEmailBytes || !utf8.ValidString(r.Email) || strings.ContainsFunc(r.Email, NotInEmail) {
		return unsound("its author's e-mail address has more than %d bytes, is not UTF-8 or holds control characters, < or >", MaxEmailBytes)
	}
	if r.By.Turn < 0 || r.By.Turn > math.MaxInt32 {
		return unsound("turn %d can't be", r.By.Turn)
	}
	for _, t := range []time.Time{r.Time, r.Wall} {
		if y := t.UTC().Year(); y < 0 || y > 9998 {
			return unsound("its time is in the year %d", y)
		}
	}
	return nil
}

// NotInEmail reports whether a character can't be in the e-mail address of a Record, because git
// has no way to write it.
func NotInEmail(c rune) bool { return c == '<' || c == '>' || unicode.IsControl(c) }

func sane(s string) bool { return len(s) <= maxWordBytes && utf8.ValidString(s) }

// plainWord reports whether s looks like an operation or kind of memend, including one of a newer
// version.
func plainWord(s string) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 32
}
