package io.psf.processor.model;

/** An interface's own merge method. */
public enum OwnMerge {
    /** No method: the layouts of the response define the merge. */
    NONE,
    /** {@code merge(List<Response>)}, instead of layouts. */
    OF_SLICES,
    /** {@code merge(Request, List<Response>)}, instead of layouts. */
    OF_REQUEST_AND_SLICES,
    /** {@code finish(Request, Response)}, after the layouts have been merged. */
    FINISH;

    /** True if the method takes the request. */
    public boolean takesRequest() {
        return this == OF_REQUEST_AND_SLICES || this == FINISH;
    }
}
