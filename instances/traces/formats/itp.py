"""Microsoft ITP clusters as published with ElasticFlow (ASPLOS 2023), raw or with models."""

COLUMNS = {
    "id": "job_id",
    "gpus": "num_gpu",
    "duration": "duration",
    "submit": "submission_time",
    "model": "model_name",
}
