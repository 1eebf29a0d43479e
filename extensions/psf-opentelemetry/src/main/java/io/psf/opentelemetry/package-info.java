/**
 * Spans of calls and their handlers with OpenTelemetry. Imports psf-api.
 */
@NullMarked
package io.psf.opentelemetry;

import org.jspecify.annotations.NullMarked;
