package io.psf.examples.mf;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/**
 * One step of matrix factorization by stochastic gradient descent (Koren, Bell and Volinsky, "Matrix Factorization
 * Techniques for Recommender Systems", 2009): steps rows of users and rows of items in one call, and returns the rows
 * after the step. Gradients of zeros pull rows without a change. The tables are colocated.
 */
@PsFunction("acme.mf")
public interface MatrixFactorization {
    /**
     * The gradients of a batch.
     *
     * @param users the users' table, fixed or growing
     * @param items the items' table, fixed or growing, of any number of rows; created with
     *     {@code TensorSpec.beside(users)}
     * @param rate the learning rate
     * @param user [n] int64, duplicates summed; borrowed until await returns
     * @param ofUser [n, width of users] float32; borrowed until await returns
     * @param item [m] int64, duplicates summed; borrowed until await returns
     * @param ofItem [m, width of items] float32; borrowed until await returns
     */
    record Request(
            TensorId users,
            TensorId items,
            float rate,
            @ByKey(combine = SUM) LongArray user,
            @Along("user") FloatArray ofUser,
            @ByKey(of = "items", combine = SUM) LongArray item,
            @Along("item") FloatArray ofItem) {}

    /**
     * The rows after the step.
     *
     * @param user [n, width of users] float32
     * @param item [m, width of items] float32
     */
    record Response(
            @Along("user") FloatArray user, @Along("item") FloatArray item) {}

    default Response handle(Request slice, Shard users) {
        Shard items = users.other(slice.items());
        return new Response(
                step(users, slice.user(), slice.ofUser(), slice.rate()),
                step(items, slice.item(), slice.ofItem(), slice.rate()));
    }

    private static FloatArray step(Shard table, LongArray keys, FloatArray gradient, float rate) {
        int width = table.width();
        int[] rows = table.rows(keys);
        FloatArray values = table.values();
        for (int i = 0; i < rows.length; i++) {
            FloatArray row = values.slice(rows[i] * width, (rows[i] + 1) * width);
            row.addScaled(-rate, gradient.slice(i * width, (i + 1) * width));
        }
        return table.gather(keys);
    }
}
