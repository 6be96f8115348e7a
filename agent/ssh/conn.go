package ssh

import (
	"bufio"
	"io"
	"net"
	"sync"
	"time"
)

// Preface is what a client of HTTP/2 sends first.
const Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// Conn is a connection over two streams. It has no deadlines: to end it, end the program at the
// other end, or this one.
type Conn struct {
	in     *bufio.Reader
	out    io.Writer
	once   sync.Once
	closed chan struct{}
}

// NewConn returns a connection that reads from in and writes to out. It closes neither.
func NewConn(in io.Reader, out io.Writer) *Conn {
	return &Conn{in: bufio.NewReaderSize(in, 64<<10), out: out, closed: make(chan struct{})}
}

// Peek returns the next n bytes without consuming them, like bufio.Reader.
func (c *Conn) Peek(n int) ([]byte, error) { return c.in.Peek(n) }

func (c *Conn) Read(b []byte) (int, error)  { return c.in.Read(b) }
func (c *Conn) Write(b []byte) (int, error) { return c.out.Write(b) }

// Close ends the connection. The streams belong to the caller of NewConn.
func (c *Conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// Closed returns a channel that is closed when the connection is.
func (c *Conn) Closed() <-chan struct{} { return c.closed }

func (c *Conn) LocalAddr() net.Addr              { return Addr{} }
func (c *Conn) RemoteAddr() net.Addr             { return Addr{} }
func (c *Conn) SetDeadline(time.Time) error      { return nil }
func (c *Conn) SetReadDeadline(time.Time) error  { return nil }
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

// Addr is the address of both ends of a Conn.
type Addr struct{}

func (Addr) Network() string { return "stdio" }
func (Addr) String() string  { return "stdio" }
