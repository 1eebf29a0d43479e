package io.psf.processor.emit;

/**
 * A generated class.
 *
 * @param name its qualified name
 * @param text its source
 */
public record Source(String name, String text) {}
