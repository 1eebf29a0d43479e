package io.psf.processor.model;

/** What an interface says of its own on how the answers become one. */
public enum OwnMerge {
    /** Nothing: the layouts of the response say it all. */
    NONE,
    /** {@code merge(List<Response>)}, in the place of layouts. */
    OF_SLICES,
    /** {@code merge(Request, List<Response>)}, in the place of layouts. */
    OF_REQUEST_AND_SLICES,
    /** {@code finish(Request, Response)}, after the layouts have been merged. */
    FINISH;

    /** Whether the method is given the request. */
    public boolean takesRequest() {
        return this == OF_REQUEST_AND_SLICES || this == FINISH;
    }
}
