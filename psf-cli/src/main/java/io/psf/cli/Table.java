package io.psf.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Rows of text in columns of equal width, the titles first. {@link #lines(int, int)} shortens the texts of the columns
 * of names and of {@link #text} until a line fits.
 */
final class Table {
    /** The width of a terminal that nobody has resized. */
    static final int TERMINAL = 80;

    private static final int GAP = 2;
    /** The width below which no cell is shortened. */
    private static final int LEAST = 6;

    /** How the cells of a column are written. */
    private enum Kind {
        /** To the left; a long one loses its middle. */
        NAME,
        /** To the left; a long one loses its end. */
        TEXT,
        /** To the right, and whole. */
        NUMBER
    }

    /** A column: its title, and how its cells are written. */
    record Column(String title, Kind kind) {}

    private final List<Column> columns;
    private final List<List<String>> rows = new ArrayList<>();

    Table(Column... columns) {
        this.columns = List.of(columns);
        rows.add(this.columns.stream().map(Column::title).toList());
    }

    /** Returns a table whose cells are all to the left. */
    static Table of(String... titles) {
        return new Table(List.of(titles).stream().map(Table::text).toArray(Column[]::new));
    }

    /** A column of names: to the left, shortened in the middle. */
    static Column name(String title) {
        return new Column(title, Kind.NAME);
    }

    /** A column of texts: to the left, shortened at the end. */
    static Column text(String title) {
        return new Column(title, Kind.TEXT);
    }

    /** A column of numbers: to the right, never shortened. */
    static Column number(String title) {
        return new Column(title, Kind.NUMBER);
    }

    void add(Object... cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(cell.toString());
        }
        rows.add(row);
    }

    /** Returns the titles, and the cells of each row, whole. */
    List<List<String>> cells() {
        return List.copyOf(rows);
    }

    /** Returns the lines, as wide as the cells are. */
    List<String> lines() {
        return lines(Integer.MAX_VALUE);
    }

    /**
     * Returns the lines, shortened to {@code columns} of a terminal if that is possible without shortening a number. In
     * the place of the rows beyond the first {@code most} a line says how many there are.
     */
    List<String> lines(int columns, int most) {
        int all = rows.size() - 1; // without the titles
        if (all <= most) {
            return lines(columns);
        }
        List<String> lines = new ArrayList<>(lines(columns).subList(0, most + 1));
        lines.add(String.format(Locale.ROOT, ".. and %,d more (--top 0)", all - most));
        return lines;
    }

    private List<String> lines(int most) {
        int[] widths = new int[columns.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], Text.width(row.get(i)));
            }
        }
        long total = GAP * (widths.length - 1L);
        for (int width : widths) {
            total += width;
        }
        for (; total > most; total--) {
            int widest = widest(widths);
            if (widest < 0) {
                break;
            }
            widths[widest]--;
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    /**
     * Returns the index of the widest column that may become narrower, or -1. A text counts twice: a name says more.
     */
    private int widest(int[] widths) {
        int widest = -1;
        for (int i = 0; i < widths.length; i++) {
            int least = Math.max(LEAST, Text.width(columns.get(i).title()));
            boolean shrinks = columns.get(i).kind() != Kind.NUMBER && widths[i] > least;
            if (shrinks && (widest < 0 || weight(i, widths) > weight(widest, widths))) {
                widest = i;
            }
        }
        return widest;
    }

    private int weight(int column, int[] widths) {
        return columns.get(column).kind() == Kind.TEXT ? 2 * widths[column] : widths[column];
    }

    private String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            Kind kind = columns.get(i).kind();
            String cell = switch (kind) {
                case NAME -> Text.withoutMiddle(row.get(i), widths[i]);
                case TEXT -> Text.withoutEnd(row.get(i), widths[i]);
                case NUMBER -> row.get(i);
            };
            String blank = " ".repeat(widths[i] - Text.width(cell));
            line.append(i == 0 ? "" : " ".repeat(GAP)).append(kind == Kind.NUMBER ? blank + cell : cell + blank);
        }
        return line.toString().stripTrailing();
    }
}
