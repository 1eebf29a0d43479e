package io.psf.processor.model;

/** The format in which the elements of a shared array travel. */
public enum WireFormat {
    /** The elements' own. */
    OWN,
    /** That of the tensor on whose shards the function runs. */
    TENSOR,
    /** IEEE 754 binary16. */
    FLOAT16,
    /** The upper half of a float32. */
    BFLOAT16,
    /** Integers of 8 bits with a factor for each row. */
    INT8
}
