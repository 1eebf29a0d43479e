package io.psf.examples;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses an option that counts something: a whole number of at least 1. */
public final class Count implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
        return parse(value, 1);
    }

    private static int parse(String value, int least) {
        int number;
        try {
            number = Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw refused(value, least);
        }
        if (number < least) {
            throw refused(value, least);
        }
        return number;
    }

    private static TypeConversionException refused(String value, int least) {
        return new TypeConversionException(value + " (expected: a whole number of at least " + least + ")");
    }

    /** Parses a whole number of at least 0. */
    public static final class OrZero implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String value) {
            return parse(value, 0);
        }
    }
}
