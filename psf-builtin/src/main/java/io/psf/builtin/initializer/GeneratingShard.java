package io.psf.builtin.initializer;

import io.psf.api.Shard;

/** A shard that generates its initial values itself, such as in a device's memory. */
public interface GeneratingShard extends Shard {
    /**
     * Sets all values, and the values of rows that are created later, to the values of a generator. The index of an
     * element is {@code key * width + column}, in a growing table {@link Generator#firstElement} of the row's key, plus
     * the column.
     *
     * @return false if the shard does not know the generator: then the caller writes the values, and the rows of a
     *     growing table begin with the values of {@link io.psf.api.Node.Fill#fillRow}
     */
    boolean generate(Generator generator);
}
