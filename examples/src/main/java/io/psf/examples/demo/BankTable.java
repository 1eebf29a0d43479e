package io.psf.examples.demo;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The Bank Marketing table: telephone calls of a Portuguese bank, and whether the customer subscribed.
 *
 * <p>S. Moro, P. Cortez, P. Rita: A Data-Driven Approach to Predict the Success of Bank Telemarketing, Decision Support
 * Systems 62, 2014; UCI Machine Learning Repository, CC BY 4.0. The build takes the file from the jar of Apache
 * Mahout's examples.
 *
 * @param header the columns' names
 * @param rows the cells, unquoted, one array per row
 */
public record BankTable(List<String> header, List<String[]> rows) {
    private static final String FILE = "/bank-full.csv";
    private static final String SHA_256 = "d1513ec63b385506f7cfce9f2c5caa9fe99e7ba4e8c3fa264b3aaf0f849ed32d";

    /**
     * Reads the table from the class path.
     *
     * @throws IllegalStateException if the file is missing, or is not the file that the examples were written for
     */
    public static BankTable load() {
        try (InputStream file = BankTable.class.getResourceAsStream(FILE)) {
            if (file == null) {
                throw new IllegalStateException(
                        FILE + " is not on the class path (expected: put there by the build of psf-examples)");
            }
            byte[] bytes = file.readAllBytes();
            String digest = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
            if (!digest.equals(SHA_256)) {
                throw new IllegalStateException("sha256 of " + FILE + ": " + digest + " (expected: " + SHA_256 + ")");
            }
            return parse(new InputStreamReader(new ByteArrayInputStream(bytes), StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (NoSuchAlgorithmException failure) {
            throw new IllegalStateException("every JDK knows SHA-256", failure);
        }
    }

    /**
     * Parses a header and rows of cells, separated by semicolons, with or without quotes. In this data, quoted cells
     * contain no semicolon and no quote.
     *
     * @throws IllegalArgumentException if a row has more or fewer cells than the header
     */
    static BankTable parse(Reader text) throws IOException {
        BufferedReader lines = new BufferedReader(text);
        String first = lines.readLine();
        if (first == null) {
            throw new IllegalArgumentException("the table is empty (expected: a header)");
        }
        List<String> header = List.of(cells(first));
        List<String[]> rows = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] row = cells(line);
            if (row.length != header.size()) {
                throw new IllegalArgumentException(
                        "cells of row " + (rows.size() + 1) + ": " + row.length + " (expected: " + header.size() + ")");
            }
            rows.add(row);
        }
        return new BankTable(header, rows);
    }

    /** Returns the cells of a column, one per row. */
    public String[] column(String name) {
        int at = header.indexOf(name);
        if (at < 0) {
            throw new IllegalArgumentException("column: " + name + " (expected: one of " + header + ")");
        }
        return rows.stream().map(row -> row[at]).toArray(String[]::new);
    }

    /** Returns the cells of a column as numbers, one per row. */
    public float[] numbers(String name) {
        String[] cells = column(name);
        float[] numbers = new float[cells.length];
        for (int i = 0; i < cells.length; i++) {
            numbers[i] = Float.parseFloat(cells[i]);
        }
        return numbers;
    }

    /** Returns a table with the rows of the given indices, in their order. */
    public BankTable select(int[] order) {
        List<String[]> selected = new ArrayList<>(order.length);
        for (int row : order) {
            selected.add(rows.get(row));
        }
        return new BankTable(header, selected);
    }

    private static String[] cells(String line) {
        String[] cells = line.split(";", -1);
        for (int i = 0; i < cells.length; i++) {
            String cell = cells[i].strip();
            boolean quoted = cell.length() >= 2 && cell.startsWith("\"") && cell.endsWith("\"");
            cells[i] = quoted ? cell.substring(1, cell.length() - 1) : cell;
        }
        return cells;
    }
}
