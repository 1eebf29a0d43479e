package io.psf.processor.emit;

/**
 * A generated class.
 *
 * @param name the class's qualified name
 * @param text the class's source
 */
public record Source(String name, String text) {}
