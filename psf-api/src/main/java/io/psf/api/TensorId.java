package io.psf.api;

import java.io.Serializable;

/**
 * The name of a tensor, a named parameter of shape {@code [rows, width]}. A value type: two ids with the same name
 * denote the same tensor, on every worker. Immutable and thread-safe.
 */
public final class TensorId implements Serializable {
    private static final long serialVersionUID = 1;

    private final String name;
    private final transient int number;

    private TensorId(String name) {
        this.name = Names.requireName("tensor", name);
        this.number = Names.number(name);
    }

    /**
     * Returns the id of the tensor with the given name.
     *
     * @param name 1 to 200 printable characters
     * @throws IllegalArgumentException if the name is empty, too long, or contains a control character, a line
     *     separator, a character of text direction or half of a surrogate pair
     */
    public static TensorId of(String name) {
        return new TensorId(name);
    }

    /** Replaces what was read by an id whose name has been checked. */
    private Object readResolve() {
        return of(name);
    }

    /** Returns the tensor's name. */
    public String name() {
        return name;
    }

    /** Returns the number that represents the name on the wire. The number is derived from the name. */
    public int number() {
        return number;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TensorId that && number == that.number && name.equals(that.name);
    }

    @Override
    public int hashCode() {
        return number;
    }

    @Override
    public String toString() {
        return name;
    }
}
