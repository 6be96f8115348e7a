// Package tables says how the trail's tables are read: the columns of a version, a change, a store, a head and a held change, with their
// destinations in the types of package versions, and the expressions for what several columns say together, such as who made a change.
// It only reads, through any reader of the database; package schema has the tables and what their columns mean, and package core
// writes them.
package tables
