package io.psf.benchmarks;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The figures of one run of a peer, by the name of psf's case. A dense call sorts no keys, so its figure is in both
 * maps.
 *
 * @param stdSort the figures of a worker that sorts keys with {@code std::sort}
 * @param radix the figures of a worker that sorts keys with a radix sort
 * @param others the share of the machine that other processes took meanwhile, from 0 to 1
 */
record PeerFigures(Map<String, Double> stdSort, Map<String, Double> radix, double others) {
    /** Examples of the lines, for messages. */
    static final String EXAMPLES =
            "\"push 4096 p50 136.1 us\" or \"sparse pull 16 wide 1 under way radix: 14.01 M rows/s\"";

    private static final Pattern DENSE = Pattern.compile("(push|pull) (\\d{1,9}) p50 (\\d+(?:\\.\\d+)?) us\\b.*");
    private static final Pattern SPARSE = Pattern.compile(
            "sparse (push|pull) (\\d{1,9}) wide (\\d{1,9}) under way (std::sort|radix): (\\d+(?:\\.\\d+)?) M rows/s\\b.*");

    /** Parses the lines that a peer's worker has printed. Ignores other lines, such as the lines of its log. */
    static PeerFigures parse(List<String> lines, double others) {
        PeerFigures figures = new PeerFigures(new HashMap<>(), new HashMap<>(), others);
        lines.forEach(figures::add);
        return figures;
    }

    private void add(String line) {
        Matcher dense = DENSE.matcher(line);
        if (dense.matches()) {
            String name = DenseCases.p50(dense.group(1), Integer.parseInt(dense.group(2)));
            put(stdSort, name, dense.group(3));
            put(radix, name, dense.group(3));
        }
        Matcher sparse = SPARSE.matcher(line);
        if (sparse.matches()) {
            String name = SparseCases.name(
                    sparse.group(1),
                    Integer.parseInt(sparse.group(2)),
                    Keys.UNIFORM,
                    Integer.parseInt(sparse.group(3)));
            put(sparse.group(4).equals("radix") ? radix : stdSort, name, sparse.group(5));
        }
    }

    /** Adds a figure; ignores a zero, which measures nothing. */
    private static void put(Map<String, Double> figures, String name, String text) {
        double figure = Double.parseDouble(text);
        if (figure > 0) {
            figures.put(name, figure);
        }
    }

    boolean has(Line line) {
        return stdSort.containsKey(line.name()) || radix.containsKey(line.name());
    }
}
