/**
 * Estimators of Spark ML whose weights are on the servers. Kryo, which an application may choose as Spark's serializer,
 * cannot set the components of records: records that Spark sends, other than in closures, name Java's serializer.
 */
@NullMarked
package io.psf.spark.ml;

import org.jspecify.annotations.NullMarked;
