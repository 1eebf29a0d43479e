package io.psf.processor.emit;

/**
 * A generated source.
 *
 * @param name the qualified name of a class of Java, or the path of a module of Python
 * @param text the source
 */
public record Source(String name, String text) {}
