package io.psf.benchmarks.scale;

/**
 * What a scheduler has received, sent and computed.
 *
 * @param framesIn the number of received frames
 * @param bytesIn their bytes
 * @param framesOut the number of sent frames
 * @param bytesOut their bytes
 * @param nanos the processor time of the thread that received, ran and answered them
 */
public record Cost(long framesIn, long bytesIn, long framesOut, long bytesOut, long nanos) {
    static final Cost NONE = new Cost(0, 0, 0, 0, 0);

    Cost plus(Cost other) {
        return new Cost(
                framesIn + other.framesIn,
                bytesIn + other.bytesIn,
                framesOut + other.framesOut,
                bytesOut + other.bytesOut,
                nanos + other.nanos);
    }

    /** Returns the mean of several equal events. */
    Cost dividedBy(long events) {
        return new Cost(framesIn / events, bytesIn / events, framesOut / events, bytesOut / events, nanos / events);
    }
}
