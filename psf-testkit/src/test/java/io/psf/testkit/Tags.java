package io.psf.testkit;

import static io.psf.api.layout.Reduction.MAX;
import static io.psf.api.layout.Reduction.OR;
import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.Reduce;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts what the rows are tagged with: row i by word {@code i % words}, unless its flag is off. */
@PsFunction("test.tags")
interface Tags {
    record Request(TensorId tensor, List<String> words, boolean[] flags, Map<String, Double> weights) {}

    /**
     * What was counted.
     *
     * @param counts rows by word
     * @param weighted the sums of the rows' first elements by word, times the word's weight
     * @param last the last row of each word
     * @param empty whether a word has a row that is zero
     * @param keys the rows that have a word, in their order
     * @param wordOfRow the word of each of them
     */
    record Response(
            @Reduce(SUM) Map<String, Integer> counts,
            @Reduce(SUM) Map<String, Double> weighted,
            @Reduce(MAX) Map<String, Long> last,
            @Reduce(OR) Map<String, Boolean> empty,
            List<Long> keys,
            Map<String, String> wordOfRow) {}

    default Response handle(Request request, Shard shard) throws IOException {
        if (request.words().isEmpty()) {
            throw new IOException("no words");
        }
        FloatArray values = shard.values();
        Map<String, Integer> counts = new LinkedHashMap<>();
        Map<String, Double> weighted = new LinkedHashMap<>();
        Map<String, Long> last = new LinkedHashMap<>();
        Map<String, Boolean> empty = new LinkedHashMap<>();
        List<Long> keys = new ArrayList<>();
        Map<String, String> wordOfRow = new LinkedHashMap<>();
        for (long key = shard.range().begin(); key < shard.range().end(); key++) {
            String word = request.words().get((int) (key % request.words().size()));
            if (!request.flags()[(int) (key % request.flags().length)]) {
                continue;
            }
            float value = values.get((int) (key - shard.range().begin()) * shard.width());
            counts.merge(word, 1, Integer::sum);
            weighted.merge(word, request.weights().getOrDefault(word, 1.0) * value, Double::sum);
            last.put(word, key);
            empty.merge(word, value == 0, Boolean::logicalOr);
            keys.add(key);
            wordOfRow.put("row " + key, word);
        }
        return new Response(counts, weighted, last, empty, keys, wordOfRow);
    }
}
