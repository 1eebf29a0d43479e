package io.psf.builtin.answer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;

/**
 * A shard that converts values to the format in which they are sent, such as in a device's memory, so that fewer bytes
 * leave it. The bits are those to which the codec of the server converts.
 */
public interface EncodingShard extends Shard {
    /**
     * Returns all values for an answer, as {@link Shard#valuesForAnswer} does, converted to a format or not. The array
     * may have no values before the answer is written.
     *
     * @param wire the format in which the array is sent: in another one the values would not be exact
     */
    FloatArray valuesForAnswer(FloatType wire);

    /**
     * Returns the values of the rows of keys for an answer, as {@link Shard#gatherForAnswer}, converted to a format or
     * not. The array may have no values before the answer is written.
     */
    FloatArray gatherForAnswer(LongArray keys, FloatType wire);
}
