// Package conformance replays the behaviour of the memory tool
// (memory_20250818) as cases: a tree, commands, the answer of each, the tree at
// the end. Its "format" key explains the fields of the file. Whoever answers
// commands is tested with it: package memfs, and the program on top of it.
package conformance
