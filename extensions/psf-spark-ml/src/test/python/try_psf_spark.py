"""Trains, scores, saves and loads the estimators from PySpark. Prints OK at the end.

Run by PythonModuleTest, with the class path of the test and a folder for models.
"""

import sys

from pyspark.ml import Pipeline
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import SparkSession

import psf_spark
from psf_spark import (
    PsFactorizationMachine,
    PsFactorizationMachineModel,
    PsFeatureHasher,
    PsLogisticRegression,
    PsLogisticRegressionModel,
    PsWord2Vec,
    PsWord2VecModel,
)

class_path, folder = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.driver.extraClassPath", class_path)
    .config("spark.ui.enabled", "false")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
psf_spark.start(spark)


def refused(call, text):
    try:
        call()
    except Exception as e:
        assert text in str(e), f"{text!r} is not in {e}"
        return
    raise AssertionError(f"not refused: {text}")


# Clicks that depend on the site, but for one in twenty. Frames are made by SQL, which needs no Python in executors.
clicks = (
    spark.range(2000)
    .selectExpr(
        "concat('site', pmod(xxhash64(id), 20)) as site",
        "concat('user', pmod(xxhash64(id, 1), 50)) as user",
        "pmod(xxhash64(id, 2), 20) = 0 as isOther",
    )
    .selectExpr("site", "user", "double(pmod(xxhash64(site), 2) = int(isOther)) as clicked")
    .cache()
)
train, test = clicks.randomSplit([0.8, 0.2], 1)

hasher = PsFeatureHasher(inputCols=["site", "user"], outputCol="keys")
regression = PsLogisticRegression(keysCol="keys", labelCol="clicked").setMaxIter(8).setStepSize(1)
assert regression.getMaxIter() == 8
assert regression.getStepSize() == 1.0
assert regression.getSolver() == "ftrl"
assert regression.getSeed() == regression._java_obj.getOrDefault(regression._java_obj.getParam("seed"))
assert "learning rate of the servers' optimizer" in regression.explainParams()
refused(lambda: PsLogisticRegression(keyCol="keys"), "params: keyCol (expected: of")
refused(lambda: PsLogisticRegression(maxIter="many"), "maxIter")
refused(lambda: PsLogisticRegression(maxIter=-1), "maxIter")
refused(lambda: regression.setNothing(1), "has no attribute 'setNothing'")



def is_near(one, other):
    return abs(one - other) < 1e-3


evaluator = BinaryClassificationEvaluator(labelCol="clicked")
pipeline = Pipeline(stages=[hasher, regression])
model = pipeline.fit(train)
auc = evaluator.evaluate(model.transform(test))
print(f"AUC of a pipeline: {auc:.3f}")
assert auc > 0.85, auc
scorer = model.stages[1]
assert isinstance(scorer, PsLogisticRegressionModel)
assert scorer.epochs == 8 and not scorer.isExported
assert len(scorer.summary.objectiveHistory) == 8 and scorer.summary.validationHistory == []
assert isinstance(scorer.intercept, float)
exported = scorer.exported()
assert exported.isExported and exported.getKeysCol() == "keys"
model.write().overwrite().save(folder + "/pipeline")
scorer.write().overwrite().save(folder + "/model")
scorer.release()
refused(lambda: model.transform(test).count(), "are released")
again = psf_spark.load_pipeline(folder + "/pipeline")
assert is_near(evaluator.evaluate(again.transform(test)), auc)
loaded = PsLogisticRegressionModel.load(folder + "/model")
assert loaded.uid == scorer.uid and loaded.getKeysCol() == "keys"
assert is_near(evaluator.evaluate(loaded.transform(hasher.transform(test))), auc)
assert loaded.isExported
warm = PsLogisticRegression(keysCol="keys", labelCol="clicked", maxIter=1).setStepSize(1e-6).setInitialModel(loaded)
assert is_near(evaluator.evaluate(warm.fit(hasher.transform(train)).transform(hasher.transform(test))), auc)
served = PsLogisticRegressionModel.read().onServers().load(folder + "/model")
assert not served.isExported
assert is_near(evaluator.evaluate(served.transform(hasher.transform(test))), auc)
assert served.getWeights().columns == ["key", "weight"]
served.release()
regression.save(folder + "/estimator")
assert PsLogisticRegression.load(folder + "/estimator").getMaxIter() == 8
hasher.save(folder + "/hasher")
assert PsFeatureHasher.load(folder + "/hasher").getInputCols() == ["site", "user"]
copy = regression.copy({regression.maxIter: 3})
assert copy.getMaxIter() == 3 and regression.getMaxIter() == 8

grid = ParamGridBuilder().addGrid(regression.stepSize, [0.001, 1.0]).build()
keys = hasher.transform(train)
best = CrossValidator(
    estimator=regression.copy().setExportWeights(True), estimatorParamMaps=grid, evaluator=evaluator, numFolds=2
).fit(keys)
print(f"AUC of two rates: {best.avgMetrics}")
assert best.avgMetrics[1] > best.avgMetrics[0] - 0.01
assert best.bestModel.isExported

machine = PsFactorizationMachine(keysCol="keys", labelCol="clicked", factorSize=4, maxIter=8).fit(keys)
assert isinstance(machine, PsFactorizationMachineModel)
print(f"AUC of a factorization machine: {evaluator.evaluate(machine.transform(hasher.transform(test))):.3f}")
machine.release()

sentences = spark.range(200).selectExpr(
    "split(trim(repeat(if(id % 2 = 0, 'red green blue ', 'cat dog cow '), 5)), ' ') as text"
)
words = PsWord2Vec(inputCol="text", outputCol="vector", vectorSize=8, minCount=1, maxIter=5, stepSize=0.05).fit(sentences)
assert isinstance(words, PsWord2VecModel) and words.words == 6
assert words.getVectors().count() == 6
near = [row.word for row in words.findSynonyms("red", 2).collect()]
assert sorted(near) == ["blue", "green"], near
vector = words.getVectors().where("word = 'cat'").first().vector
assert words.findSynonyms(vector, 1).first().word == "cat"
assert words.transform(sentences).first().vector.size == 8
words.release()
spark.stop()
print("OK")
