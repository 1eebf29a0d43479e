package io.psf.gpu.shard;

/**
 * Adam's corrections on the device.
 *
 * @param table the address of [known, 2] float64
 * @param known the number of steps, from 0, that the table has
 */
record Corrections(long table, int known) {
    static final Corrections NONE = new Corrections(0, 0);
}
