package io.psf.builtin;

import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import org.jspecify.annotations.Nullable;

/**
 * What a tensor is declared with: begin with {@link #dense}, {@link #table} or {@link #growing}, then say what differs from the defaults.
 * Immutable: each method that says something answers another spec.
 *
 * @param tensor name, rows and width
 * @param initializer the first values; 0 unless told
 * @param optimizer how a push changes the values; added unless told
 * @param updates how the workers' pushes combine; each at once unless told
 * @param slices in how many slices the rows are cut; 0 for one a server, or {@link #PIECES}
 * @param beside the tensor whose slices' places it shares; null for its own
 */
public record TensorSpec(
        TensorInfo tensor,
        Initializer initializer,
        OptimizerSpec optimizer,
        Updates updates,
        int slices,
        @Nullable TensorId beside) {
    /**
     * In the place of a number of slices: as many as make each about 256 KB, at least one a server and at most 256, so that
     * a piece is still in the cache when it is worked on, and while one is on its way, another is worked on.
     */
    public static final int PIECES = -1;

    /**
     * Checks the number of slices: {@link IllegalArgumentException} if it is below {@link #PIECES} or above the number of
     * rows.
     */
    public TensorSpec {
        if (initializer == null || optimizer == null || updates == null) {
            throw new IllegalArgumentException("tensor \"" + tensor.id() + "\": initializer " + initializer
                    + ", optimizer " + optimizer + ", updates " + updates + " (expected: not null)");
        }
        if (slices < PIECES || slices > tensor.rows()) {
            throw new IllegalArgumentException("slices of tensor \"" + tensor.id() + "\": " + slices
                    + " (expected: 1 to " + (tensor.grows() ? "65536" : tensor.rows() + " rows")
                    + ", 0 for one a server, or " + PIECES + " for pieces of about 256 KB)");
        }
    }

    /**
     * A vector: rows of one float. To be pushed and pulled as a whole: its slices are {@link #PIECES}.
     *
     * @throws IllegalArgumentException if the name is not one or rows &lt; 1
     */
    public static TensorSpec dense(String name, long rows) {
        return dense(name, rows, 1);
    }

    /**
     * A matrix. To be pushed and pulled as a whole: its slices are {@link #PIECES}.
     *
     * @throws IllegalArgumentException if the name is not one, rows &lt; 1 or width &lt; 1
     */
    public static TensorSpec dense(String name, long rows, int width) {
        return new TensorSpec(
                new TensorInfo(TensorId.of(name), rows, width),
                Initializers.constant(0),
                Optimizers.add(),
                Updates.EACH,
                PIECES,
                null);
    }

    /**
     * An embedding table: a matrix whose rows are pushed and pulled by key, one slice a server. Whatever can be done to a
     * {@link #dense} tensor can be done to it.
     *
     * @throws IllegalArgumentException if the name is not one, rows &lt; 1 or width &lt; 1
     */
    public static TensorSpec table(String name, long rows, int width) {
        return dense(name, rows, width).slices(0);
    }

    /**
     * An embedding table whose keys are not known before: any int64 is one, such as a feature's hash. Its row is made, with
     * the initializer's values, when the key is first pushed; a pull of a key that has no row answers those values and makes
     * none. Rows are removed with {@link Tensors#removeRows}. Keys are spread over the slices, one a server unless told, by
     * their hashes. It can be used by key alone.
     *
     * <p>A row takes 4 bytes for each float of it and of the optimizer's state, and 19 to 30 bytes for its key, more while the
     * index has just been doubled. A slice has at most 100,663,296 rows, and 2 GB of values and of each of the optimizer's
     * arrays. The memory of rows that have been removed serves those that are made later, and is given back with the table.
     *
     * @throws IllegalArgumentException if the name is not one or width &lt; 1
     */
    public static TensorSpec growing(String name, int width) {
        return table(name, TensorInfo.GROWING, width);
    }

    /** The same with other first values. */
    public TensorSpec initializer(Initializer initializer) {
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, beside);
    }

    /** The same with another optimizer. */
    public TensorSpec optimizer(OptimizerSpec optimizer) {
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, beside);
    }

    /** The same with the workers' pushes combined in another way. */
    public TensorSpec updates(Updates updates) {
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, beside);
    }

    /**
     * The same in another number of slices; 0 for one a server, or {@link #PIECES}. Tensors of as many rows in as many slices,
     * at least as many as servers, lie beside each other; others if one is made {@link #beside} the other.
     */
    public TensorSpec slices(int slices) {
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, beside);
    }

    /**
     * The same beside another tensor, of any number of rows, fixed or growing: in as many slices, slice i on the same server
     * and lane. One call may then have keys of both ({@code @ByKey(of = ..)}), and a chain calls on both. Tensors of as many
     * rows and slices on the same servers lie beside each other without it. The lanes that tensors share do the work of one
     * slice number one after the other: with more slices than servers, such tensors use several lanes of a server.
     *
     * @param other a tensor that has been initialized; {@link #slices} is left as it is, or says as many as that one has
     */
    public TensorSpec beside(TensorId other) {
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, other);
    }

    /** All of it but the name on one line: two specs are the same declaration if these are the same text. */
    public String declaration() {
        return tensor.shape() + " slices=" + slices + (beside == null ? "" : " beside=" + beside) + " initializer="
                + initializer + " optimizer=" + optimizer + " updates=" + updates;
    }
}
