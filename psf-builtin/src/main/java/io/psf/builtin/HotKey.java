package io.psf.builtin;

import io.psf.api.Caller;
import io.psf.api.TensorId;
import io.psf.api.spi.KeySketch;
import io.psf.builtin.internal.statistics.FindHotKeys;
import io.psf.builtin.internal.statistics.FindHotKeysPsf;
import java.util.Comparator;
import java.util.List;

/**
 * A key that calls name often.
 *
 * @param key the key
 * @param share its part of all keys that calls have named, from 0 to 1; an estimate, with an error of at most 1/128
 */
public record HotKey(long key, double share) {
    /**
     * Returns the keys of a tensor that pulls and pushes have named most often. Blocks until the servers have answered.
     * The first call lets the servers count, and returns none. They count until nobody has asked for a minute.
     *
     * @param most the most keys, at least 1
     * @return the one with the highest share first
     */
    public static List<HotKey> of(Caller worker, TensorId tensor, int most) {
        FindHotKeys.Response found =
                FindHotKeysPsf.stub(worker).call(tensor, most).await();
        return found.counts().stream()
                .sorted(Comparator.comparingLong(KeySketch.Count::count).reversed())
                .limit(most)
                .map(each -> new HotKey(each.key(), Math.min(1, each.count() / (double) found.all())))
                .toList();
    }
}
