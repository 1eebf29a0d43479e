package io.psf.spark.ml;

import io.psf.api.Pending;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The vectors of the words of a batch: pulled from the servers, changed by a task, and pushed as differences. Each is
 * in a Java array of its own: the JIT vectorizes loops over arrays that begin at the same index. Not thread-safe.
 */
final class WordRows {
    private final TensorId tensor;
    private final int size;
    private final Positions words = new Positions();
    private long[] keys = {};
    /** [words, size]: the vectors as they were pulled, and after that the differences. */
    private float[] values = {};

    private float[][] vectors = {};
    private @Nullable Pending<?> sent;

    WordRows(TensorId tensor, int size) {
        this.tensor = tensor;
        this.size = size;
    }

    /** Returns the position of a word, which is added if it is new. */
    int of(int word) {
        return words.of(word);
    }

    /** Returns the vector of the word at a position. */
    float[] vector(int position) {
        return vectors[position];
    }

    /** The part of a word's change that is pushed. */
    @FunctionalInterface
    interface PartOfWord {
        float of(int word);
    }

    /** Requests the vectors. */
    void pull(TensorCaller caller) {
        int n = words.count();
        if (n > vectors.length) {
            makeRoom(2 * n);
        }
        for (int i = 0; i < n; i++) {
            keys[i] = words.word(i);
        }
        sent = SparsePullPsf.stub(caller).call(tensor, keys(), new SparsePull.Response(values()));
    }

    private void makeRoom(int most) {
        int known = vectors.length;
        keys = new long[most];
        values = new float[most * size];
        vectors = Arrays.copyOf(vectors, most);
        for (int i = known; i < most; i++) {
            vectors[i] = new float[size];
        }
    }

    private LongArray keys() {
        return LongArray.wrap(keys, 0, words.count());
    }

    private FloatArray values() {
        return FloatArray.wrap(values, 0, words.count() * size);
    }

    /** Awaits the vectors. */
    void receive() {
        await();
        for (int i = 0; i < words.count(); i++) {
            System.arraycopy(values, i * size, vectors[i], 0, size);
        }
    }

    /** Sends the servers a part of the differences of the vectors from the vectors that were pulled. */
    void push(TensorCaller caller, PartOfWord part) {
        for (int i = 0; i < words.count(); i++) {
            float pushed = part.of(words.word(i));
            float[] vector = vectors[i];
            int at = i * size;
            for (int d = 0; d < size; d++) {
                values[at + d] = pushed * (vector[d] - values[at + d]);
            }
        }
        sent = SparsePushPsf.stub(caller).call(tensor, keys(), values());
    }

    /** Awaits the end of the push, and removes the words. */
    void clear() {
        await();
        words.clear();
    }

    private void await() {
        Pending<?> known = sent;
        if (known != null) {
            known.await();
            sent = null;
        }
    }
}
