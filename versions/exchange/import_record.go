package exchange

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
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// unsoundImport returns the error for an invalid history.
func unsoundImport(format string, args ...any) error {
	return fmt.Errorf("%w: %s", versions.ErrUnsound, fmt.Sprintf(format, args...))
}

// imported is the state of a memory during an import.
type imported struct {
	row    int64
	number int // of its newest version
	live   bool
	path   memfs.Path // the root while a redaction hides the path

	version, blob int64          // of its newest version
	change        core.ChangeRow // the change that made its newest version
}

// record imports one change.
func (im *importer) record(r *versions.Record) error {
	im.number = im.x.NextNumber()
	if r.Number != 0 && r.Number != im.number {
		return unsoundImport("change %d comes where %d should", r.Number, im.number)
	}
	if err := CheckWords(r); err != nil {
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
	im.x.ShareAll(r.Shared, im.number, 0)
	return im.x.Err()
}

func (im *importer) change(r *versions.Record) (c core.ChangeRow, err error) {
	if r.Undoes < 0 || r.Undoes >= im.number {
		return c, unsoundImport("it undoes change %d, which is not before it", r.Undoes)
	}
	if r.Undoes > 0 {
		im.undoes[im.number] = r.Undoes
	}
	wall := r.Wall
	if wall.IsZero() {
		wall = r.Time
	}
	im.ts = max(r.Time.UnixMicro(), im.ts+1)
	c = core.ChangeRow{Number: im.number, TS: im.ts}
	seen, door, in := r.By, r.By.Door, r.Inputs
	if r.Kind == versions.KindAdopt {
		door = versions.DoorOutside
	}
	if r.Inferred {
		seen, in = core.Outside, 0
	}
	actor, session, err := im.who(seen)
	if err != nil {
		return c, err
	}
	c.Actor = actor
	c.ID = im.x.Insert(`INSERT INTO change(store,number,kind,path,dest,versions,actor,session,tool_use,turn,ts,wall,undoes,message,email,door,inputs)
		VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		im.s.Row, c.Number, string(r.Kind), versions.Key(r.Path), versions.Key(r.To), len(r.Versions), c.Actor, session, tables.Null(seen.ToolUse), tables.Null(seen.Turn), c.TS, wall.UnixMicro(), tables.Null(r.Undoes),
		tables.Null(strings.TrimRight(r.Message, "\n")), tables.Null(r.Email), tables.Null(door), tables.Null(in))
	im.last = c.ID
	if r.Found {
		im.found = c.Number
	}
	if !r.Inferred {
		return c, im.x.Err()
	}
	if c.Actor, session, err = im.who(r.By); err != nil {
		return c, err
	}
	return c, im.x.AddAttribution(c.ID, c.Actor, session, r.By, r.Inputs)
}

// who returns the rows of an actor and its session.
func (im *importer) who(by versions.By) (actor int64, session sql.NullInt64, err error) {
	if actor, err = im.actor(by.Actor); err != nil {
		return actor, session, err
	}
	session, err = im.session(by.Session, actor)
	return actor, session, err
}

func (im *importer) actor(a versions.Actor) (id int64, err error) {
	if id = im.actors[a]; id != 0 {
		return id, nil
	}
	id, err = im.x.Actor(a)
	im.actors[a] = id
	return id, err
}

// session returns the row of a session, which lasts from its first change to its last.
func (im *importer) session(s versions.SessionID, actor int64) (id sql.NullInt64, err error) {
	if s == "" {
		return id, nil
	}
	if id.Int64, id.Valid = im.sessions[s]; id.Valid {
		im.x.Exec(`UPDATE session SET seen=max(seen,?) WHERE id=?`, im.ts, id.Int64)
		return id, im.x.Err()
	}
	err = im.x.Row(`INSERT INTO session(uid,actor,started,seen) VALUES(?1,?2,?3,?3) ON CONFLICT(uid) DO UPDATE
		SET started=min(started,?3), seen=max(seen,?3) RETURNING id`, string(s), actor, im.ts).Scan(&id.Int64)
	id.Valid = true
	im.sessions[s] = id.Int64
	return id, err
}

// resolve finds the memories of a change's versions, as they are before the change, and validates
// the versions against them.
func (im *importer) resolve(r *versions.Record) ([]*imported, error) {
	touched := make([]*imported, len(r.Versions))
	seen := make(map[*imported]bool, len(r.Versions))
	for i := range r.Versions {
		v := &r.Versions[i]
		m, err := im.memoryOf(v)
		if err == nil && seen[m] {
			err = unsoundImport("the memory is in it twice")
		}
		if err == nil {
			err = m.allows(v, im.s.Dir.Names())
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
func (im *importer) memoryOf(v *versions.RecordVersion) (*imported, error) {
	switch v.Operation {
	case versions.Created, versions.Modified, versions.Deleted:
	default:
		return nil, unsoundImport("operation %.20q can't be", v.Operation)
	}
	if v.Memory == "" && v.Operation != versions.Created {
		at := v.Path
		if !v.From.IsRoot() {
			at = v.From
		}
		if m := im.places.At(at); m != nil {
			return m, nil
		}
		return nil, unsoundImport("there is no memory %s to be %s", at.Tool(), v.Operation)
	}
	id := v.Memory
	if id == "" {
		id = versions.MemoryID(ids.Format(ids.MemoryPrefix, ids.New()))
	}
	if m := im.memories[id]; m != nil {
		return m, nil
	}
	uid := ids.Parse(ids.MemoryPrefix, string(id))
	if uid == nil {
		return nil, unsoundImport("%.40q is not the id of a memory", id)
	}
	row, _, err := im.insertFree(uid, `INSERT INTO memory(uid,store) VALUES(?,?)`, im.s.Row)
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
		err := im.x.Row(text+` ON CONFLICT(uid) DO NOTHING RETURNING id`, append([]any{uid}, args...)...).Scan(&row)
		if !errors.Is(err, sql.ErrNoRows) {
			return row, renamed, err
		}
		uid = ids.New()
	}
}

// allows validates a version against the memory's state before it.
func (m *imported) allows(v *versions.RecordVersion, files memfs.Names) error {
	forgotten := m.number == 0 && v.Operation != versions.Created // it is from a replica whose service had dropped the beginning
	if !forgotten && m.live == (v.Operation == versions.Created) {
		return unsoundImport("%s, but it stands: %v", v.Operation, m.live)
	}
	if !v.Redacted.IsZero() {
		if v.Path != memfs.Root || v.From != memfs.Root || v.SHA256 != (versions.Hash{}) || v.Size != 0 {
			return unsoundImport("redacted, but it still says something")
		}
		return nil
	}
	if v.Path.IsRoot() || (v.Operation == versions.Deleted) != (v.SHA256 == versions.Hash{} && !v.Lost) || !v.From.IsRoot() && v.Operation != versions.Modified || v.From == v.Path {
		return unsoundImport("not a version that can be: path, from or content are missing or too much")
	}
	if v.Path.RunsWhenOpened() {
		return unsoundImport("%s: %v", v.Path.Tool(), memfs.ErrControlFile)
	}
	if !files.Match(v.Path) {
		return unsoundImport("%s: %v", v.Path.Tool(), &memfs.UnnamedError{Names: files})
	}
	before := v.Path
	if !v.From.IsRoot() {
		before = v.From
	}
	if m.live && m.path != before && !m.path.IsRoot() {
		return unsoundImport("the memory stood at %s", m.path.Tool())
	}
	return nil
}

// apply writes a version and makes it the newest of its memory.
func (im *importer) apply(c core.ChangeRow, v *versions.RecordVersion, m *imported) error {
	m.number++
	m.live, m.path, m.blob, m.change = v.Operation != versions.Deleted, memfs.Root, 0, c
	if m.live && v.Redacted.IsZero() {
		if other, blocked := im.places.Blocker(v.Path, memfs.Root); blocked {
			return unsoundImport("%s: the memory %s is in the way", v.Path.Tool(), other.Tool())
		}
		im.places.Put(v.Path, m)
		m.path = v.Path
		if err := im.content(v, m); err != nil {
			return fmt.Errorf("%s: %w", v.Path.Tool(), err)
		}
	}
	var path any = versions.Key(v.Path)
	redacted, by := tables.Null(int64(0)), tables.Null(int64(0))
	if !v.Redacted.IsZero() {
		path, redacted = nil, v.Redacted.UnixMicro()
		if v.RedactedBy != (versions.Actor{}) {
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
			return unsoundImport("%.40q is not the id of a version", v.ID)
		}
	}
	row, renamed, err := im.insertFree(uid, `INSERT INTO version(uid,memory,number,change,op,path,origin,blob,source,redacted,redacted_by) VALUES(?,?,?,?,?,?,?,?,?,?,?)`,
		m.row, m.number, c.ID, string(v.Operation), path, tables.Null(versions.Key(v.From)), tables.Null(m.blob), source, redacted, by)
	if m.version = row; renamed {
		im.renamed[v.ID] = row
	}
	return err
}

// content finds the content of a version among the contents of the same import. A hash alone must
// not give access to a content of another store in this home.
func (im *importer) content(v *versions.RecordVersion, m *imported) error {
	if v.Lost {
		im.lostContent(v, m)
		return nil
	}
	var size int64
	err := im.x.Row(`SELECT id,size FROM blob WHERE sha=?`, v.SHA256[:]).Scan(&m.blob, &size)
	if errors.Is(err, sql.ErrNoRows) || err == nil && m.blob <= im.blobsOf && !im.had[m.blob] {
		return unsoundImport("its content %s does not come before it", v.SHA256)
	}
	if err == nil && v.Size != 0 && v.Size != size {
		return unsoundImport("its content has %d bytes, not %d", size, v.Size)
	}
	return err
}

// lostContent gives a version a content that is marked as lost. It does not store the hash, which
// would give access to the content as soon as another store has it.
func (im *importer) lostContent(v *versions.RecordVersion, m *imported) {
	m.blob = im.x.Insert(`INSERT INTO blob(sha,size,enc,data) VALUES(randomblob(16),?,?,x'')`, max(v.Size, 0), blobs.Lost)
}

// source returns the row of an earlier version, or nil when no version has this id.
func (im *importer) source(id versions.VersionID) (any, error) {
	if id == "" {
		return nil, nil
	}
	if row := im.renamed[id]; row != 0 {
		return row, nil
	}
	var row int64
	err := im.x.Row(`SELECT v.id FROM version v JOIN memory m ON m.id=v.memory WHERE v.uid=? AND m.store=?`, ids.Parse(ids.VersionPrefix, string(id)), im.s.Row).Scan(&row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return row, err
}

// CheckWords validates the texts of a record against what the tables can hold.
func CheckWords(r *versions.Record) error {
	if !plainWord(string(r.Kind)) {
		return unsoundImport("%.40q is not a kind of change", r.Kind)
	}
	if r.Found && r.Kind != versions.KindAdopt {
		return unsoundImport("its memories can't have been found")
	}
	if r.Inferred && (r.Kind != versions.KindAdopt || r.By.Actor.Kind != versions.Agent) {
		return unsoundImport("its actor can't be inferred")
	}
	actors := []versions.Actor{r.By.Actor}
	for i := range r.Versions {
		if a := r.Versions[i].RedactedBy; a != (versions.Actor{}) {
			actors = append(actors, a)
		}
	}
	for _, a := range actors {
		if !slices.Contains(versions.ActorKinds, a.Kind) {
			return unsoundImport("%.40q is not a kind of actor", a.Kind)
		}
		if !versions.Sane(a.Name) {
			return unsoundImport("the actor's name is too long or not UTF-8")
		}
	}
	if !versions.Sane(string(r.By.Session)) || !versions.Sane(r.By.ToolUse) {
		return unsoundImport("the id of its session or tool call is too long or not UTF-8")
	}
	if len(r.Message) > versions.MaxMessageBytes || !utf8.ValidString(r.Message) || strings.ContainsRune(r.Message, 0) {
		return unsoundImport("its message has more than %d bytes, is not UTF-8 or holds NUL", versions.MaxMessageBytes)
	}
	if len(r.Email) > versions.MaxEmailBytes || !utf8.ValidString(r.Email) || strings.ContainsFunc(r.Email, NotInEmail) {
		return unsoundImport("its author's e-mail address has more than %d bytes, is not UTF-8 or holds control characters, < or >", versions.MaxEmailBytes)
	}
	if r.By.Turn < 0 || r.By.Turn > math.MaxInt32 {
		return unsoundImport("turn %d can't be", r.By.Turn)
	}
	for _, t := range []time.Time{r.Time, r.Wall} {
		if y := t.UTC().Year(); y < 0 || y > 9998 {
			return unsoundImport("its time is in the year %d", y)
		}
	}
	return nil
}

// NotInEmail reports whether a character can't be in the e-mail address of a Record, because git
// has no way to write it.
func NotInEmail(c rune) bool { return c == '<' || c == '>' || unicode.IsControl(c) }

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
