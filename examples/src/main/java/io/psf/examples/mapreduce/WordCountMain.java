package io.psf.examples.mapreduce;

import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.examples.OnCluster;
import io.psf.examples.wordnet.WordNet;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Counts the words of WordNet's glosses. Each worker counts the words of its portion (map) and pushes the counts, which
 * the servers add up (reduce). Runs with {@code java} or {@code psf launch}.
 */
public final class WordCountMain {
    private static final int SHOWN = 10;

    private WordCountMain() {}

    /** Runs standalone, or as a worker of the cluster that the environment names. */
    public static void main(String[] arguments) {
        OnCluster.run(worker -> {
            Map<String, Long> counts = count(worker, WordNet.glosses());
            if (worker.rank() == 0) {
                counts.entrySet().stream()
                        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                        .limit(SHOWN)
                        .forEach(word -> System.out.println(word.getKey() + ": " + word.getValue()));
            }
        });
    }

    /** Returns the number of occurrences, in all portions, of each word that this worker's portion has. */
    static Map<String, Long> count(Worker worker, List<String> texts) {
        TensorId counts = Tensors.init(worker, TensorSpec.growing("words", 1)); // a push is added to the row of its key

        // Map: the words of this worker's portion, with their counts.
        int begin = (int) ((long) texts.size() * worker.rank() / worker.workers());
        int end = (int) ((long) texts.size() * (worker.rank() + 1) / worker.workers());
        Map<String, Long> own = texts.subList(begin, end).stream()
                .flatMap(text -> Arrays.stream(text.toLowerCase(Locale.ROOT).split("[^a-z]+", 0)))
                .filter(word -> !word.isEmpty())
                .collect(Collectors.groupingBy(Function.identity(), LinkedHashMap::new, Collectors.counting()));
        long[] keys = own.keySet().stream().mapToLong(WordCountMain::key).toArray();
        float[] values = new float[keys.length];
        int at = 0;
        for (long count : own.values()) {
            values[at++] = count;
        }

        // Reduce: the servers add.
        Tensors.pushRows(worker, counts, keys, values).await();
        worker.barrier();

        Tensors.pullRows(worker, counts, keys, values).await();
        at = 0;
        for (Map.Entry<String, Long> word : own.entrySet()) {
            word.setValue((long) values[at++]);
        }
        return own;
    }

    /** Returns the key of a word: a hash of 64 bits (FNV-1a), so that no two words have the same. */
    private static long key(String word) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < word.length(); i++) {
            hash = (hash ^ word.charAt(i)) * 0x100000001b3L;
        }
        return hash;
    }
}
