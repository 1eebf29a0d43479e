package io.psf.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows of text in columns of equal width, the titles first. */
final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    Table(String... titles) {
        rows.add(List.of(titles));
    }

    void add(Object... cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(cell.toString());
        }
        rows.add(row);
    }

    /** Returns the lines. */
    List<String> lines() {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
        }
        return line.toString().stripTrailing();
    }
}
