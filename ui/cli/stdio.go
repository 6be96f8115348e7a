package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// preface is what a client sends first if it speaks HTTP/2 without TLS.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// errStreamEnded is how a server of one stream ends when its client is gone.
var errStreamEnded = errors.New("the stream ended")

// streamListener accepts one connection, over two streams.
type streamListener struct {
	conn     *streamConn
	accepted bool
}

// listenOn returns the listener for a client that writes to in and reads from out.
func listenOn(in io.Reader, out io.Writer) *streamListener {
	return &streamListener{conn: &streamConn{in: bufio.NewReaderSize(in, 64<<10), out: out, closed: make(chan struct{})}}
}

// Accept returns the connection when its client has begun. The next call returns
// errStreamEnded when the connection is closed.
func (l *streamListener) Accept() (net.Conn, error) {
	if l.accepted {
		<-l.conn.closed
		return nil, errStreamEnded
	}
	l.accepted = true
	switch first, err := l.conn.in.Peek(len(preface)); {
	case bytes.Equal(first, []byte(preface)):
		return l.conn, nil
	case len(first) == 0 && errors.Is(err, io.EOF):
		return nil, errStreamEnded
	case err != nil && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return nil, &hinted{errors.New("standard input is not HTTP/2"), "`memend serve --stdio` is started by a client, such as another memend; nothing else must write to it"}
}

func (l *streamListener) Close() error { return l.conn.Close() }

func (l *streamListener) Addr() net.Addr { return streamAddr{} }

// streamConn is a connection over two streams. It has no deadlines: whoever started the
// program ends it.
type streamConn struct {
	in     *bufio.Reader
	out    io.Writer
	once   sync.Once
	closed chan struct{}
}

func (c *streamConn) Read(b []byte) (int, error)  { return c.in.Read(b) }
func (c *streamConn) Write(b []byte) (int, error) { return c.out.Write(b) }

// Close ends the connection. The streams themselves belong to the program.
func (c *streamConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (c *streamConn) LocalAddr() net.Addr              { return streamAddr{} }
func (c *streamConn) RemoteAddr() net.Addr             { return streamAddr{} }
func (c *streamConn) SetDeadline(time.Time) error      { return nil }
func (c *streamConn) SetReadDeadline(time.Time) error  { return nil }
func (c *streamConn) SetWriteDeadline(time.Time) error { return nil }

type streamAddr struct{}

func (streamAddr) Network() string { return "stdio" }
func (streamAddr) String() string  { return "stdio" }
