"""Memory of encoders, embedding models and rerankers: inference and fine-tuning."""
