package io.psf.processor.emit;

/** The place to which an emitter writes. */
@FunctionalInterface
public interface Output {
    /** Writes a source. */
    void write(Source source);
}
